//! Reads the tables `[[request]]`.

use std::path::Path;

use toml::Value;

use super::keys::{Keys, TEXT, text};
use super::{Content, Expected, Request, SuiteError};

pub(super) fn read(keys: &mut Keys<'_>, root: &Path) -> Result<Vec<Request>, SuiteError> {
    let tables = keys.tables("request")?;
    tables
        .into_iter()
        .map(|table| request(table, root))
        .collect()
}

fn request(mut keys: Keys<'_>, root: &Path) -> Result<Request, SuiteError> {
    let body = content(&mut keys, "body", "body-file", root)?;
    let accepted = "a method in capital letters";
    let method = keys.optional("method", accepted, |value| {
        text(value).filter(|method| method.bytes().all(|byte| byte.is_ascii_uppercase()))
    })?;
    let preset = if body.is_some() { "POST" } else { "GET" };
    let accepted = "a path that begins with /, without spaces";
    let path = keys.required("path", accepted, |value| {
        let plain = |byte: u8| byte.is_ascii_graphic();
        text(value).filter(|path| path.starts_with('/') && path.bytes().all(plain))
    })?;
    let expected = expected(&mut keys, root)?;
    let request = Request {
        name: keys.required("name", TEXT, text)?,
        method: method.unwrap_or_else(|| preset.to_owned()),
        path,
        headers: headers(&mut keys)?,
        body,
        status: keys.whole("expect-status", 200, 599)?.unwrap_or(200) as u16,
        expected,
        set: keys.texts("set")?,
    };
    keys.finish()?;
    Ok(request)
}

fn expected(keys: &mut Keys<'_>, root: &Path) -> Result<Expected, SuiteError> {
    let body = content(keys, "expect-body", "expect-file", root)?;
    match (body, keys.take("expect-json")) {
        (Some(body), None) => Ok(Expected::Body(body)),
        (None, Some(value)) => json_values(&value).map(Expected::Json).ok_or_else(|| {
            let accepted = "a table of JSON pointers, such as \"/id\", and what stands there";
            keys.refuse("expect-json", &value, accepted)
        }),
        (Some(_), Some(value)) => {
            let accepted = "either expect-json or the whole body, not both";
            Err(keys.refuse("expect-json", &value, accepted))
        }
        (None, None) => {
            let accepted = "the whole body of the answer, or expect-file, or expect-json";
            Err(keys.missing("expect-body", accepted))
        }
    }
}

/// Values in a JSON body, by pointer (RFC 6901).
fn json_values(value: &Value) -> Option<Vec<(String, serde_json::Value)>> {
    let table = value.as_table().filter(|table| !table.is_empty())?;
    let values = table.iter().map(|(pointer, value)| {
        let is_pointer = pointer.is_empty() || pointer.starts_with('/');
        let value = serde_json::to_value(value).ok()?;
        is_pointer.then(|| (pointer.clone(), value))
    });
    values.collect()
}

fn content(
    keys: &mut Keys<'_>,
    inline: &'static str,
    file: &'static str,
    root: &Path,
) -> Result<Option<Content>, SuiteError> {
    let given = keys.optional(inline, "a text", |value| value.as_str().map(str::to_owned))?;
    let Some(path) = keys.text(file)? else {
        return Ok(given.map(Content::Text));
    };
    if given.is_some() {
        let accepted = format!("either {inline} or {file}, not both");
        return Err(keys.refuse(file, &path.into(), &accepted));
    }
    Ok(Some(Content::File(root.join(path))))
}

/// Headers as a list of pairs, as one name may come twice.
fn headers(keys: &mut Keys<'_>) -> Result<Vec<(String, String)>, SuiteError> {
    let accepted =
        "a list of [\"name\", \"value\"], without Host and Content-Length, which are set";
    let found = keys.optional("headers", accepted, |value| {
        let pairs = value.as_array()?.iter();
        pairs
            .map(|pair| {
                let [name, value] = pair.as_array()?.as_slice() else {
                    return None;
                };
                let (name, value) = (text(name)?, value.as_str()?);
                let broken = |text: &str| text.bytes().any(|byte| byte < 0x20 || byte == 0x7f);
                let own = ["host", "content-length", "transfer-encoding", "connection"];
                let taken = own.iter().any(|own| name.eq_ignore_ascii_case(own));
                (!taken && !broken(&name) && !broken(value)).then(|| (name, value.to_owned()))
            })
            .collect()
    })?;
    Ok(found.unwrap_or_default())
}
