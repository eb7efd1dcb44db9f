//! Limits that the control API can change.

use assay_spec::names::did_you_mean;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Applies the limits in `changes`. An unknown name or a value of the wrong type changes nothing.
pub fn change<T: Serialize + DeserializeOwned>(limits: &mut T, changes: &Value) -> Result<(), String> {
    let mut all = serde_json::to_value(&*limits).map_err(|e| e.to_string())?;
    let (Some(members), Some(changes)) = (all.as_object_mut(), changes.as_object()) else {
        return Err("limits must be an object that maps names to numbers".to_owned());
    };
    for (name, value) in changes {
        if !members.contains_key(name) {
            let near = did_you_mean(name, members.keys().map(String::as_str));
            let known = || members.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            let near = if near.is_empty() { format!("; known: {}", known()) } else { near };
            return Err(format!("unknown limit {name:?}{near}"));
        }
        members.insert(name.clone(), value.clone());
    }
    *limits = serde_json::from_value(all).map_err(|e| e.to_string())?;
    Ok(())
}
