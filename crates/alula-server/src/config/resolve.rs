//! Which source of an option wins.

use super::error::{ConfigError, Origin};
use super::later;
use super::spec::Spec;
use super::table::{Config, OPTIONS};
use super::value::Value;

/// One option that a source sets.
#[derive(Clone, PartialEq, Debug)]
struct Setting {
    value: Value,
    spelling: String,
    origin: Origin,
}

/// What one source sets, checked.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layer {
    settings: Vec<(usize, Setting)>,
}

impl Layer {
    /// Sets an option, which is called `spelling` at its origin.
    ///
    /// # Errors
    ///
    /// When the option does not take the value.
    pub fn set(
        &mut self,
        spec: &Spec,
        value: Value,
        spelling: &str,
        origin: &Origin,
    ) -> Result<(), ConfigError> {
        let shown = value.to_string();
        let value = spec.accept(value).map_err(|accepted| ConfigError::Value {
            option: spelling.to_owned(),
            value: shown,
            accepted,
            origin: origin.clone(),
        })?;
        let setting = Setting {
            value,
            spelling: spelling.to_owned(),
            origin: origin.clone(),
        };
        self.settings.push((position(spec), setting));
        Ok(())
    }

    /// Sets the option that `key` means: a keyword of Python or a key of the file.
    ///
    /// # Errors
    ///
    /// When there is no such option, or it does not take the value.
    pub fn set_by_key(
        &mut self,
        key: &str,
        value: Value,
        origin: &Origin,
    ) -> Result<(), ConfigError> {
        if let Some(spec) = OPTIONS.iter().find(|spec| spec.answers_to(key)) {
            return self.set(spec, value, key, origin);
        }
        let reason = later::reason(key).unwrap_or_else(|| "there is no such option".to_owned());
        Err(ConfigError::Option {
            option: key.to_owned(),
            reason,
            origin: origin.clone(),
        })
    }

    /// The value that this source gives to an option, if it does.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.settings
            .iter()
            .find(|(index, _)| OPTIONS[*index].name() == name)
            .map(|(_, setting)| &setting.value)
    }

    fn setting(&self, index: usize) -> Option<&Setting> {
        self.settings
            .iter()
            .find(|(at, _)| *at == index)
            .map(|(_, setting)| setting)
    }
}

/// The configuration that the layers add up to; the first one that sets an option wins.
///
/// # Errors
///
/// When two options exclude each other.
pub fn resolve(layers: &[Layer]) -> Result<Config, ConfigError> {
    let first = |index: usize| layers.iter().find_map(|layer| layer.setting(index));
    let values = OPTIONS
        .iter()
        .enumerate()
        .map(|(index, spec)| {
            first(index).map_or_else(|| spec.preset.value(), |setting| setting.value.clone())
        })
        .collect();
    let config = Config::read(values);
    if config.uds.is_some() && config.fd.is_some() {
        let spec = OPTIONS
            .iter()
            .position(|spec| spec.name() == "fd")
            .and_then(first);
        return Err(ConfigError::Option {
            option: spec.map_or_else(|| "fd".to_owned(), |setting| setting.spelling.clone()),
            reason: "uds is set too; the server listens on one of them".to_owned(),
            origin: spec.map_or(Origin::Keyword, |setting| setting.origin.clone()),
        });
    }
    Ok(config)
}

fn position(spec: &Spec) -> usize {
    OPTIONS
        .iter()
        .position(|other| other.flag == spec.flag)
        .expect("every spec is an entry of the table")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(settings: &[(&str, Value)]) -> Layer {
        let mut layer = Layer::default();
        for (key, value) in settings {
            layer
                .set_by_key(key, value.clone(), &Origin::Keyword)
                .expect("an accepted value");
        }
        layer
    }

    #[test]
    fn nothing_set_gives_the_defaults() {
        let config = resolve(&[]).expect("defaults are consistent");
        let presets: Vec<Value> = OPTIONS
            .iter()
            .map(|spec| {
                spec.accept(spec.preset.value())
                    .expect("a default is accepted")
            })
            .collect();
        assert_eq!(resolve(&[Layer::default()]), Ok(config.clone()));
        let shown = |values: Vec<Value>| values.iter().map(Value::to_string).collect::<Vec<_>>();
        assert_eq!(shown(config.values()), shown(presets));
        assert_eq!(config.port, 8000);
        assert_eq!(config.timeout_graceful_shutdown.as_secs(), 30);
    }

    #[test]
    fn an_earlier_layer_wins_over_a_later_one() {
        let first = layer(&[("port", Value::Integer(1))]);
        let second = layer(&[("port", Value::Integer(2)), ("backlog", Value::Integer(7))]);
        let config = resolve(&[first, second]).expect("consistent");
        assert_eq!((config.port, config.backlog), (1, 7));
    }

    #[test]
    fn an_unknown_key_and_a_later_one_are_told_apart() {
        let mut layer = Layer::default();
        let mut say = |key| {
            layer
                .set_by_key(key, Value::None, &Origin::Keyword)
                .expect_err(key)
                .to_string()
        };
        assert_eq!(say("prot"), "prot: there is no such option");
        assert_eq!(
            say("ssl_keyfile"),
            "ssl_keyfile: TLS is not supported yet by this version of Alula"
        );
    }

    #[test]
    fn two_places_to_listen_are_refused() {
        let both = layer(&[
            ("uds", Value::Text("/tmp/x".into())),
            ("fd", Value::Integer(3)),
        ]);
        let error = resolve(&[both]).expect_err("they exclude each other");
        assert_eq!(
            error.to_string(),
            "fd: uds is set too; the server listens on one of them"
        );
    }

    #[test]
    fn keys_may_be_spelt_as_in_python_or_as_on_the_command_line() {
        for key in ["headers", "header"] {
            let config = resolve(&[layer(&[(key, Value::Text("A:b".into()))])]).expect("fine");
            assert_eq!(config.headers, [("A".to_owned(), "b".to_owned())]);
        }
        let config = resolve(&[layer(&[("limit-concurrency", Value::Integer(3))])]).expect("fine");
        assert_eq!(config.limit_concurrency, Some(3));
    }
}
