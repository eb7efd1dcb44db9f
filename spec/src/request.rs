//! What a field of a request must not be, by its declaration.

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::shape::{Body, Field, ShapeKind};

/// The declaration of a member of an endpoint's JSON body.
///
/// # Panics
/// If it is not declared.
pub fn field(endpoint: &Endpoint, member: &str) -> Field {
    let Body::Json(fields) = endpoint.shape.body else { panic!("{} has no JSON body", endpoint.path) };
    let found = fields.iter().find(|field| field.name == member);
    *found.unwrap_or_else(|| panic!("{} declares no {member}", endpoint.path))
}

/// The values that a server must reject in place of `good`, one of each kind; `None`: the field is missing. If the request
/// needs the field, it must also not be missing, null or empty. Numbers are left out for strings: the documents leave open
/// whether they are read as strings.
pub fn invalid(field: &Field, good: &Value, is_needed: bool) -> Vec<Option<Value>> {
    let mut values = vec![Some(json!(true)), Some(json!([good])), Some(json!({ "value": good }))];
    if is_needed {
        values.extend([None, Some(Value::Null), Some(json!(""))]);
    }
    if let ShapeKind::OneOf(words) = field.kind {
        values.push(Some(json!(format!("not-{}", words.concat()))));
        values.push(Some(json!(good.as_str().unwrap_or_default().to_uppercase())));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::prepare;

    #[test]
    fn each_kind_has_a_value() {
        let shown = |member: &str, good: &str, is_needed: bool| {
            json!(invalid(&field(&prepare::ENDPOINT, member), &json!(good), is_needed)).to_string()
        };
        assert_eq!(shown("cid", "a", true), r#"[true,["a"],{"value":"a"},null,null,""]"#);
        assert_eq!(
            shown("op", "pub", false),
            r#"[true,["pub"],{"value":"pub"},"not-pubtransferaccept","PUB"]"#
        );
    }
}
