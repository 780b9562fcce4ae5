//! What the declaration of an option consists of.

use super::value::Value;

/// A heading of `--help` and of the documentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// Which application is served, and how it is found.
    Application,
    /// Where the server listens.
    Binding,
    /// Processes, event loop and restarts.
    Workers,
    /// Restarts on changed files.
    Reload,
    /// What requests and answers look like from outside.
    Http,
    /// Bounds on time and size.
    Limits,
    /// Log records and colours.
    Logging,
}

impl Group {
    /// Every group, in the order in which help and documentation show them.
    pub const ALL: [Self; 7] = [
        Self::Application,
        Self::Binding,
        Self::Workers,
        Self::Reload,
        Self::Http,
        Self::Limits,
        Self::Logging,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Application => "Application",
            Self::Binding => "Binding",
            Self::Workers => "Workers",
            Self::Reload => "Reload",
            Self::Http => "HTTP",
            Self::Limits => "Limits",
            Self::Logging => "Logging",
        }
    }
}

/// Which values an option takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// On or off; on the command line `--name` and `--no-name`.
    Flag,
    /// A whole number within the bounds, both included.
    Integer {
        /// The smallest number accepted.
        min: u64,
        /// The largest number accepted.
        max: u64,
    },
    /// A time in seconds within the bounds, both included; fractions are accepted.
    Seconds {
        /// The shortest time accepted.
        min: f64,
        /// The longest time accepted.
        max: f64,
    },
    /// Any text.
    Text,
    /// One of a few words, which stand here with `|` between them; in any case.
    Choice(&'static str),
    /// The name of a log level, in any case, or its number.
    Level,
    /// The name of an event loop, or `module:factory`.
    Loop,
    /// The path of a file or socket that need not exist yet.
    Path,
    /// The path of a file that exists.
    File,
    /// Any number of texts.
    Texts,
    /// Any number of directories that exist.
    Directories,
    /// Any number of `Name:Value` pairs.
    Headers,
    /// A comma-separated list of addresses, networks and socket paths, or `*`.
    Trusted,
}

impl Kind {
    /// Whether the option may be given several times.
    pub fn is_repeated(self) -> bool {
        matches!(self, Self::Texts | Self::Directories | Self::Headers)
    }

    /// What stands for the value in `--help`.
    pub fn metavar(self) -> &'static str {
        match self {
            Self::Flag => "",
            Self::Integer { .. } => "NUMBER",
            Self::Seconds { .. } => "SECONDS",
            Self::Text | Self::Texts => "TEXT",
            Self::Choice(words) => words,
            Self::Level => "LEVEL",
            Self::Loop => "LOOP",
            Self::Path => "PATH",
            Self::File => "FILE",
            Self::Directories => "DIR",
            Self::Headers => "NAME:VALUE",
            Self::Trusted => "LIST",
        }
    }

    /// The type of the value in Python, as an annotation.
    pub fn python_type(self) -> &'static str {
        match self {
            Self::Flag => "bool",
            Self::Integer { .. } => "int",
            Self::Seconds { .. } => "float",
            Self::Text | Self::Choice(_) | Self::Level | Self::Loop | Self::Path | Self::File => {
                "str"
            }
            Self::Texts | Self::Directories | Self::Trusted => "list[str]",
            Self::Headers => "list[tuple[str, str]]",
        }
    }
}

/// The value of an option that nobody has set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Preset {
    /// None; the text says what happens then (empty: nothing worth telling).
    Unset(&'static str),
    /// On or off.
    Flag(bool),
    /// A whole number.
    Integer(u64),
    /// Seconds.
    Seconds(f64),
    /// A text or a word of a choice.
    Text(&'static str),
    /// A list.
    List(&'static [&'static str]),
}

impl Preset {
    /// The default as a value.
    pub fn value(self) -> Value {
        match self {
            Self::Unset(_) => Value::None,
            Self::Flag(flag) => Value::Flag(flag),
            Self::Integer(number) => Value::Integer(number),
            Self::Seconds(seconds) => Value::Number(seconds),
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::List(items) => Value::List(items.iter().map(ToString::to_string).collect()),
        }
    }

    /// The default as help and documentation show it; empty if there is nothing to show.
    pub fn shown(self) -> String {
        match self {
            Self::Unset(text) | Self::Text(text) => text.to_owned(),
            Self::Flag(true) => "on".to_owned(),
            Self::Flag(false) => "off".to_owned(),
            Self::Integer(number) => number.to_string(),
            Self::Seconds(seconds) => seconds.to_string(),
            Self::List(items) => items.join(","),
        }
    }
}

/// One declared option.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub(super) field: &'static str,
    /// The name on the command line, without the dashes in front.
    pub flag: &'static str,
    /// The other half of an on/off pair on the command line.
    pub(super) off: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// What holds when nobody has set it.
    pub preset: Preset,
    /// The heading it stands under.
    pub group: Group,
    pub(super) text: &'static str,
}

impl Spec {
    /// The name in the Python API and in the file, with underscores.
    pub fn name(&self) -> &'static str {
        self.field.strip_prefix("r#").unwrap_or(self.field)
    }

    /// The variable in the environment.
    pub fn variable(&self) -> String {
        format!("ALULA_{}", self.flag.replace('-', "_").to_uppercase())
    }

    /// What it does, in one or two sentences.
    pub fn help(&self) -> &'static str {
        self.text.trim()
    }

    /// Whether it is the application, which is given without a dashed name.
    pub fn is_positional(&self) -> bool {
        self.flag == "app"
    }

    /// Whether the value may be absent altogether.
    pub fn is_optional(&self) -> bool {
        matches!(self.preset, Preset::Unset(_)) && !self.kind.is_repeated()
    }

    /// The forms on the command line: one, or both halves of an on/off pair.
    pub fn forms(&self) -> Vec<String> {
        if self.is_positional() {
            return vec!["APP".to_owned()];
        }
        let mut forms = vec![format!("--{}", self.flag)];
        if self.kind == Kind::Flag {
            forms.push(format!("--{}", self.off));
        }
        forms
    }

    /// Whether `key` of a file or a keyword means this option: the Python name or the one of the
    /// command line, with dashes or underscores.
    pub fn answers_to(&self, key: &str) -> bool {
        let key = key.replace('-', "_");
        key == self.name() || key == self.flag.replace('-', "_")
    }
}
