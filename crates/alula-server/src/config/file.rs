//! Options from a TOML file: one key an option, named as in Python or as on the command line.

use std::path::Path;

use toml::{Table, Value as Toml};

use super::error::{ConfigError, Origin};
use super::resolve::Layer;
use super::value::Value;

/// Reads a file of options.
///
/// # Errors
///
/// When the file cannot be read, is no TOML, or has a key or value that is not accepted.
pub fn read(path: &Path) -> Result<Layer, ConfigError> {
    let fail = |reason: String| ConfigError::File {
        path: path.to_owned(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    let table: Table = text
        .parse()
        .map_err(|error| fail(one_line(&text, &error)))?;
    let origin = Origin::File(path.to_owned());
    let mut layer = Layer::default();
    for (key, toml) in table {
        if key == "config" {
            let reason = "a configuration file cannot name another one".to_owned();
            return Err(ConfigError::Option {
                option: key,
                reason,
                origin,
            });
        }
        let value = convert(&toml).ok_or_else(|| ConfigError::Value {
            option: key.clone(),
            value: toml.to_string().trim().to_owned(),
            accepted: "a text, a number from 0 on, true or false, or a list of texts".to_owned(),
            origin: origin.clone(),
        })?;
        layer.set_by_key(&key, value, &origin)?;
    }
    Ok(layer)
}

/// What is wrong with the TOML, and in which line.
fn one_line(text: &str, error: &toml::de::Error) -> String {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.get(..start).unwrap_or("");
    let line = 1 + before.matches('\n').count();
    format!("line {line}: {}", error.message().replace('\n', " "))
}

fn convert(toml: &Toml) -> Option<Value> {
    match toml {
        Toml::String(text) => Some(Value::Text(text.clone())),
        Toml::Integer(number) => u64::try_from(*number).ok().map(Value::Integer),
        Toml::Float(number) => Some(Value::Number(*number)),
        Toml::Boolean(flag) => Some(Value::Flag(*flag)),
        Toml::Array(items) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .map(Value::List),
        Toml::Table(table) => table
            .iter()
            .map(|(name, item)| Some((name.clone(), item.as_str()?.to_owned())))
            .collect::<Option<_>>()
            .map(Value::Pairs),
        Toml::Datetime(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, resolve};

    fn parse(name: &str, text: &str) -> Result<Config, String> {
        let path = std::env::temp_dir().join(format!("alula-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a writable directory");
        let layer = read(&path).map_err(|error| error.to_string());
        std::fs::remove_file(&path).expect("just written");
        let shown = format!("{}", path.display());
        layer
            .map_err(|error| error.replace(&shown, name))
            .map(|layer| resolve(&[layer]).expect("consistent"))
    }

    #[test]
    fn every_shape_of_value_is_read() {
        let text = r#"
            app = "main:app"
            port = 9000
            timeout-keep-alive = 2.5
            timeout_write = 7
            access_log = false
            reload_include = ["*.html"]
            forwarded_allow_ips = ["10.0.0.0/8", "::1"]
            [headers]
            X-One = "1"
        "#;
        let config = parse("shapes.toml", text).expect("accepted");
        assert_eq!(config.app.as_deref(), Some("main:app"));
        assert_eq!((config.port, config.access_log), (9000, false));
        assert_eq!(config.timeout_keep_alive.as_millis(), 2500);
        assert_eq!(config.timeout_write.as_secs(), 7);
        assert_eq!(config.reload_includes, ["*.html"]);
        assert_eq!(config.forwarded_allow_ips, ["10.0.0.0/8", "::1"]);
        assert_eq!(config.headers, [("X-One".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn errors_name_file_key_and_value() {
        let say = |name: &str, text: &str| parse(name, text).expect_err("refused");
        assert_eq!(
            say("port.toml", "port = 70000"),
            "port: \"70000\" in port.toml is not accepted; expected a whole number from 0 to 65535"
        );
        assert_eq!(
            say("negative.toml", "port = -1"),
            "port: \"-1\" in negative.toml is not accepted; \
             expected a text, a number from 0 on, true or false, or a list of texts"
        );
        assert_eq!(
            say("key.toml", "prot = 1"),
            "prot in key.toml: there is no such option"
        );
        assert_eq!(
            say("nested.toml", "config = 'x'"),
            "config in nested.toml: a configuration file cannot name another one"
        );
        assert!(say("broken.toml", "a = 1\nport = \n").starts_with("broken.toml: line 2: "));
    }
}
