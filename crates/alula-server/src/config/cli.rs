//! The command line: `alula serve APP [options]`.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::error::{ConfigError, Origin};
use super::later;
use super::resolve::Layer;
use super::spec::{Kind, Spec};
use super::table::OPTIONS;
use super::value::Value;

const AFTER_HELP: &str = "\
Every option can be given as a variable of the environment too (--log-level: ALULA_LOG_LEVEL) and as a key of the \
file named by --config. The command line wins over the environment, the environment over the file.";

/// What a command line asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum Invocation {
    /// Serve, with these options.
    Serve(Layer),
    /// Print this help.
    Help(String),
    /// Print the version.
    Version,
}

/// Reads a command line, given without the program's name.
///
/// # Errors
///
/// When it cannot be understood, asks for an option that comes later, or gives an option a value
/// that it does not take.
pub fn parse<I, T>(arguments: I) -> Result<Invocation, ConfigError>
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let arguments = arguments.into_iter().map(Into::into);
    let line = std::iter::once(OsString::from("alula")).chain(arguments);
    let matches = match command().try_get_matches_from(line) {
        Ok(matches) => matches,
        Err(error) => return refuse(&error),
    };
    match matches.subcommand() {
        Some(("serve", serve)) if !serve.get_flag("version") => layer(serve).map(Invocation::Serve),
        _ => Ok(Invocation::Version),
    }
}

/// The grammar of the command line.
pub fn command() -> Command {
    let version = || {
        Arg::new("version")
            .long("version")
            .action(ArgAction::SetTrue)
            .help("Print the version and exit")
    };
    let serve = Command::new("serve")
        .about("Serve an ASGI application")
        .after_help(AFTER_HELP)
        .args(OPTIONS.iter().flat_map(arguments))
        .arg(version());
    // These are handed over before this grammar is asked; here they are for the help.
    let bench = Command::new("bench")
        .about("Load a server and report, compare servers, or guard against a regression");
    let routes = Command::new("routes")
        .about("List the routes of a FastAPI application: how each is compiled, or why not");
    Command::new("alula")
        .about("An application server for Python")
        .arg(version())
        .arg_required_else_help(true)
        .max_term_width(110)
        .subcommand(serve)
        .subcommand(bench)
        .subcommand(routes)
        .disable_help_subcommand(true)
}

/// The clap arguments of an option: one, or both halves of an on/off pair.
fn arguments(spec: &'static Spec) -> Vec<Arg> {
    if spec.is_positional() {
        return vec![Arg::new(spec.flag).value_name("APP").help(help(spec))];
    }
    let named = |name: &'static str| {
        Arg::new(name)
            .long(name)
            .help_heading(spec.group.title())
            .help(help(spec))
    };
    let arg = named(spec.flag);
    match spec.kind {
        Kind::Flag => {
            let switch = |arg: Arg| {
                arg.action(ArgAction::SetTrue)
                    .overrides_with_all([spec.flag, spec.off])
            };
            vec![switch(arg), switch(named(spec.off).hide(true))]
        }
        kind if kind.is_repeated() => {
            vec![valued(arg, kind).action(ArgAction::Append)]
        }
        kind => vec![valued(arg, kind).overrides_with(spec.flag)],
    }
}

fn valued(arg: Arg, kind: Kind) -> Arg {
    arg.value_name(kind.metavar())
        .num_args(1)
        .allow_hyphen_values(true)
}

fn help(spec: &Spec) -> String {
    let text = spec.help().trim_end_matches('.').replace('`', "");
    let off = match spec.kind {
        Kind::Flag => format!("; --{} for the opposite", spec.off),
        _ => String::new(),
    };
    match spec.preset.shown().as_str() {
        "" => format!("{text}{off}"),
        shown => format!("{text}{off} [default: {shown}]"),
    }
}

/// What was given on the command line.
fn layer(matches: &ArgMatches) -> Result<Layer, ConfigError> {
    let mut layer = Layer::default();
    for spec in OPTIONS {
        let spelling = if spec.is_positional() {
            "APP".to_owned()
        } else {
            format!("--{}", spec.flag)
        };
        if let Some(value) = given(matches, spec) {
            layer.set(spec, value, &spelling, &Origin::CommandLine)?;
        }
    }
    Ok(layer)
}

fn given(matches: &ArgMatches, spec: &Spec) -> Option<Value> {
    if spec.kind == Kind::Flag {
        let on = matches.get_flag(spec.flag);
        let off = matches.get_flag(spec.off);
        return (on || off).then_some(Value::Flag(on));
    }
    let mut texts = matches.get_many::<String>(spec.flag)?.cloned();
    if spec.kind.is_repeated() {
        Some(Value::List(texts.collect()))
    } else {
        texts.next_back().map(Value::Text)
    }
}

/// What clap did not want to go on with: help, or a mistake.
fn refuse(error: &clap::Error) -> Result<Invocation, ConfigError> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return Ok(Invocation::Help(error.render().to_string()));
        }
        ErrorKind::UnknownArgument => {
            if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
                && let Some(reason) = later::reason(option)
            {
                let (option, origin) = (option.clone(), Origin::CommandLine);
                return Err(ConfigError::Option {
                    option,
                    reason,
                    origin,
                });
            }
        }
        ErrorKind::InvalidSubcommand => {
            if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
                && word.contains(':')
            {
                let text = format!("{word}: no such command; did you mean `alula serve {word}`?");
                return Err(ConfigError::Usage(text));
            }
        }
        _ => {}
    }
    let text = error.render().to_string();
    Err(ConfigError::Usage(
        text.strip_prefix("error: ").unwrap_or(&text).to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, resolve};

    fn serve(line: &str) -> Result<Config, String> {
        let words = std::iter::once("serve").chain(line.split_whitespace());
        match parse(words).map_err(|error| error.to_string())? {
            Invocation::Serve(layer) => Ok(resolve(&[layer]).expect("consistent")),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_grammar_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn both_halves_of_a_pair_are_known_and_the_last_one_counts() {
        for spec in OPTIONS.iter().filter(|spec| spec.kind == Kind::Flag) {
            for (line, on) in [
                (format!("--{0}", spec.flag), true),
                (format!("--no-{0}", spec.flag), false),
                (format!("--{0} --no-{0}", spec.flag), false),
                (format!("--no-{0} --{0}", spec.flag), true),
                (format!("--{0} --{0}", spec.flag), true),
            ] {
                let config = serve(&line).expect("accepted");
                assert_eq!(config.value(spec), Value::Flag(on), "{line}");
            }
        }
    }

    #[test]
    fn the_application_may_stand_anywhere() {
        for line in [
            "main:app --port 1",
            "--port 1 main:app",
            "--reload main:app --port=1",
        ] {
            let config = serve(line).expect("accepted");
            assert_eq!((config.app.as_deref(), config.port), (Some("main:app"), 1));
        }
    }

    #[test]
    fn repeated_options_add_up_and_others_take_the_last_value() {
        let config = serve("--header A:1 --header B:2 --port 1 --port 2").expect("accepted");
        assert_eq!((config.headers.len(), config.port), (2, 2));
    }

    #[test]
    fn a_refused_value_names_option_value_and_what_is_accepted() {
        assert_eq!(
            serve("a:b --port 99999").expect_err("too large"),
            "--port: \"99999\" on the command line is not accepted; \
             expected a whole number from 0 to 65535"
        );
        assert_eq!(
            serve("a:b --lifespan maybe").expect_err("no such word"),
            "--lifespan: \"maybe\" on the command line is not accepted; \
             expected one of auto, on, off"
        );
        assert!(
            serve("a:b --port -1")
                .expect_err("negative")
                .starts_with("--port: \"-1\"")
        );
    }

    #[test]
    fn unknown_options_get_a_suggestion_and_later_ones_a_reason() {
        assert!(
            serve("a:b --prot 1")
                .expect_err("mistyped")
                .contains("'--port'")
        );
        assert_eq!(
            serve("a:b --ssl-keyfile k").expect_err("later"),
            "--ssl-keyfile on the command line: TLS is not supported yet by this version of Alula"
        );
        assert!(
            serve("a:b --ws=auto")
                .expect_err("later")
                .contains("WebSocket")
        );
        let error = parse(["main:app"]).expect_err("no command").to_string();
        assert_eq!(
            error,
            "main:app: no such command; did you mean `alula serve main:app`?"
        );
    }

    #[test]
    fn help_and_version_are_no_errors() {
        let Ok(Invocation::Help(text)) = parse(["serve", "--help"]) else {
            panic!("no help")
        };
        for spec in OPTIONS {
            assert!(text.contains(&spec.forms()[0]), "{} is missing", spec.flag);
            assert!(spec.forms().iter().all(|form| text.contains(form.as_str())));
        }
        assert_eq!(parse(["--version"]), Ok(Invocation::Version));
        assert_eq!(parse(["serve", "--version"]), Ok(Invocation::Version));
        assert!(matches!(parse(["--help"]), Ok(Invocation::Help(_))));
        assert!(matches!(
            parse(Vec::<String>::new()),
            Ok(Invocation::Help(_))
        ));
    }
}
