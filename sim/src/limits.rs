//! Limits as values that the control API can change.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Changes the limits that `changes` names; an unknown name or a value of another type changes nothing.
pub fn change<T: Serialize + DeserializeOwned>(limits: &mut T, changes: &Value) -> Result<(), String> {
    let mut all = serde_json::to_value(&*limits).map_err(|e| e.to_string())?;
    let (Some(members), Some(changes)) = (all.as_object_mut(), changes.as_object()) else {
        return Err("limits are an object of names and numbers".to_owned());
    };
    for (name, value) in changes {
        if !members.contains_key(name) {
            let known: Vec<&String> = members.keys().collect();
            return Err(format!("no limit is named {name:?}; known: {known:?}"));
        }
        members.insert(name.clone(), value.clone());
    }
    *limits = serde_json::from_value(all).map_err(|e| e.to_string())?;
    Ok(())
}
