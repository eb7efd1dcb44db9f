//! Parses server-sent events as the standard says: any line ending, a byte order mark, comments, data on several lines,
//! unknown fields.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The event name, if any.
    pub name: Option<String>,
    /// The data lines, joined by line feeds.
    pub data: String,
}

/// The events of a body, in order. An event without a final empty line or without data is dropped.
pub fn events(body: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(body);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (mut events, mut name, mut data) = (Vec::new(), None, Vec::new());
    for line in lines(text) {
        if line.is_empty() {
            let (name, data): (Option<String>, Vec<&str>) = (name.take(), std::mem::take(&mut data));
            if !data.is_empty() {
                events.push(Event { name, data: data.join("\n") });
            }
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => name = Some(value.to_owned()),
            "data" => data.push(value),
            // A comment has an empty field name. `id`, `retry` and unknown fields do not matter here.
            _ => {}
        }
    }
    events
}

/// The complete lines, without their endings (`\r\n`, `\n` or `\r`).
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.find(['\r', '\n'])?;
        let line = &rest[..end];
        let after = &rest[end..];
        rest = after.strip_prefix("\r\n").unwrap_or_else(|| &after[1..]);
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(name: Option<&str>, data: &str) -> Event {
        Event { name: name.map(str::to_owned), data: data.to_owned() }
    }

    #[test]
    fn events_are_parsed_as_the_standard_says() {
        let cases: &[(&str, Vec<Event>)] = &[
            ("data: a\n\ndata: b\n\n", vec![event(None, "a"), event(None, "b")]),
            (
                "data: a\r\n\r\ndata: b\r\rdata: c\n\r\n",
                vec![event(None, "a"), event(None, "b"), event(None, "c")],
            ),
            ("\u{feff}data: a\n\n", vec![event(None, "a")]),
            (": hello\n\ndata:a\n:\n\n", vec![event(None, "a")]),
            ("event: x\ndata: a\nid: 7\nretry: 1\nwholly: other\nbare\n\n", vec![event(Some("x"), "a")]),
            ("data: a\ndata:\ndata:  b\n\n", vec![event(None, "a\n\n b")]),
            ("event: x\n\ndata: a\n\n", vec![event(None, "a")]),
            ("data\n\n", vec![event(None, "")]),
            ("data: a\n\ndata: cut off", vec![event(None, "a")]),
            ("data: a\n", vec![]),
            ("\n\n\r\n", vec![]),
            ("", vec![]),
        ];
        for (text, wanted) in cases {
            assert_eq!(&events(text.as_bytes()), wanted, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn written_events_are_read_back(
            all in prop::collection::vec((prop::option::of("[a-z_.]{1,9}"), "[^\r\n\u{feff}]{0,20}(\n[^\r\n]{0,9}){0,2}"), 0..9),
            end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
            comment in "[^\r\n]{0,9}",
        ) {
            let mut text = String::new();
            for (name, data) in &all {
                text.push_str(&format!(":{comment}{end}"));
                text.extend(name.iter().map(|name| format!("event: {name}{end}")));
                text.extend(data.split('\n').map(|line| format!("data: {line}{end}")));
                text.push_str(end);
            }
            let wanted: Vec<Event> = all.into_iter().map(|(name, data)| Event { name, data }).collect();
            prop_assert_eq!(events(text.as_bytes()), wanted);
        }

        #[test]
        fn any_bytes_are_parsed_without_panic(body in prop::collection::vec(any::<u8>(), 0..300)) {
            events(&body);
        }
    }
}
