//! Reads the tables `[[measure]]`.

use toml::Value;

use super::keys::{Keys, TEXT, list, number, text};
use super::{Against, Kind, Measure, Rate, SuiteError, Target};
use crate::compare::figure::Figure;
use crate::request::MAX_WEIGHT;

/// The most connections of a measurement.
const MOST_CONNECTIONS: u32 = 100_000;

pub(super) fn read(keys: &mut Keys<'_>) -> Result<Vec<Measure>, SuiteError> {
    let tables = keys.tables("measure")?;
    tables.into_iter().map(measure).collect()
}

fn measure(mut keys: Keys<'_>) -> Result<Measure, SuiteError> {
    let kind = kind(&mut keys)?;
    let name = keys.required("name", TEXT, text)?;
    let preset = if kind == Kind::Idle { 10_000 } else { 32 };
    let from = if kind == Kind::Idle { 20 } else { 1 };
    let connections = keys.whole("connections", from, MOST_CONNECTIONS)?;
    let given = keys.optional("logged", "true or false", Value::as_bool)?;
    let logged = given.unwrap_or(false);
    if logged && kind != Kind::Closed {
        let accepted = "true with kind = \"closed\" only";
        return Err(keys.refuse("logged", &Value::Boolean(true), accepted));
    }
    let measure = Measure {
        title: keys.text("title")?.unwrap_or_else(|| name.clone()),
        name,
        request: keys.required("request", TEXT, text)?,
        mix: mix(&mut keys, &kind)?,
        connections: connections.unwrap_or(preset) as usize,
        threads: keys.whole("threads", 1, 64)?.unwrap_or(1) as usize,
        rounds: keys.whole("rounds", 1, 1000)?.map(|rounds| rounds as usize),
        extra: keys
            .optional("extra", "true or false", Value::as_bool)?
            .unwrap_or(false),
        with: keys.text("with")?.unwrap_or_else(|| "default".to_owned()),
        logged,
        servers: keys
            .optional("servers", "a list of servers' names", list)?
            .unwrap_or_default(),
        figures: figures(&mut keys, &kind)?,
        targets: targets(&mut keys, &kind)?,
        kind,
    };
    keys.finish()?;
    Ok(measure)
}

fn kind(keys: &mut Keys<'_>) -> Result<Kind, SuiteError> {
    let accepted = "\"closed\", \"open\", \"memory\", \"idle\" or \"start\"";
    let kind = keys.required("kind", accepted, |value| match value.as_str()? {
        "closed" => Some(Kind::Closed),
        "open" => Some(Kind::Open(Rate::Fixed(0.0))),
        "memory" => Some(Kind::Memory),
        "idle" => Some(Kind::Idle),
        "start" => Some(Kind::Start),
        _ => None,
    })?;
    let accepted = "requests a second above 0, or { share = 0.5, of = \"SERVER\" } \
                    with a share above 0, up to 1";
    let rate = keys.optional("rate", accepted, rate)?;
    match (kind, rate) {
        (Kind::Open(_), Some(rate)) => Ok(Kind::Open(rate)),
        (Kind::Open(_), None) => Err(keys.missing("rate", accepted)),
        (kind, None) => Ok(kind),
        (kind, Some(_)) => {
            let value = Value::String(kind.name().to_owned());
            Err(keys.refuse("kind", &value, "\"open\" if there is a rate"))
        }
    }
}

fn rate(value: &Value) -> Option<Rate> {
    let Some(table) = value.as_table() else {
        let rate = number(value).filter(|&rate| rate > 0.0 && rate <= 1e8)?;
        return Some(Rate::Fixed(rate));
    };
    let share = number(table.get("share")?).filter(|&share| share > 0.0 && share <= 1.0)?;
    let of = text(table.get("of")?)?;
    (table.len() == 2).then_some(Rate::Share { share, of })
}

/// Requests by weight.
fn mix(keys: &mut Keys<'_>, kind: &Kind) -> Result<Vec<(String, u32)>, SuiteError> {
    let accepted = format!(
        "a table of requests' names and their weights, whole numbers of up to {MAX_WEIGHT} in all"
    );
    let weights = keys.optional("mix", &accepted, |value| {
        let table = value.as_table().filter(|table| !table.is_empty())?;
        let weights = table.iter().map(|(name, weight)| {
            let weight = u32::try_from(weight.as_integer()?).ok()?;
            (1..=MAX_WEIGHT)
                .contains(&weight)
                .then(|| (name.clone(), weight))
        });
        let weights: Vec<(String, u32)> = weights.collect::<Option<_>>()?;
        let total: u64 = weights.iter().map(|(_, weight)| u64::from(*weight)).sum();
        (total <= u64::from(MAX_WEIGHT)).then_some(weights)
    })?;
    match kind {
        Kind::Idle | Kind::Start if weights.is_some() => {
            let value = Value::String(kind.name().to_owned());
            let accepted = "\"closed\", \"open\" or \"memory\" if there is a mix";
            Err(keys.refuse("kind", &value, accepted))
        }
        _ => Ok(weights.unwrap_or_default()),
    }
}

/// The figures to show; by default the first few that the kind gives.
fn figures(keys: &mut Keys<'_>, kind: &Kind) -> Result<Vec<Figure>, SuiteError> {
    let accepted = format!("a list of {}", names(kind));
    let given = keys.optional("figures", &accepted, |value| {
        let names = list(value).filter(|names| !names.is_empty())?;
        names.iter().map(|name| given_by(kind, name)).collect()
    })?;
    let preset = match kind {
        Kind::Closed => &kind.figures()[..2],
        Kind::Open(_) => &[Figure::P50, Figure::P99, Figure::P999],
        _ => kind.figures(),
    };
    Ok(given.unwrap_or_else(|| preset.to_vec()))
}

fn names(kind: &Kind) -> String {
    let names: Vec<&str> = kind.figures().iter().map(|figure| figure.name()).collect();
    names.join(", ")
}

/// The figure of that name, if measurements of this kind have it.
fn given_by(kind: &Kind, name: &str) -> Option<Figure> {
    Figure::named(name).filter(|figure| kind.figures().contains(figure))
}

fn targets(keys: &mut Keys<'_>, kind: &Kind) -> Result<Vec<Target>, SuiteError> {
    let tables = keys.tables("targets")?;
    tables.into_iter().map(|keys| target(keys, kind)).collect()
}

fn target(mut keys: Keys<'_>, kind: &Kind) -> Result<Target, SuiteError> {
    let accepted = format!("one of {}", names(kind));
    let figure = keys.required("figure", &accepted, |value| {
        value.as_str().and_then(|name| given_by(kind, name))
    })?;
    let against = keys.text("against")?;
    let (bound, other) = if figure.higher_is_better() {
        ("at-least", "at-most")
    } else {
        ("at-most", "at-least")
    };
    if let Some(value) = keys.take(other) {
        let accepted = format!("{bound}, as of {figure} {}", better(figure));
        return Err(keys.refuse(other, &value, &accepted));
    }
    let target = Target {
        figure,
        against: match against.as_deref() {
            None => Against::Nothing,
            Some("best-peer") => Against::BestPeer,
            Some(name) => Against::Server(name.to_owned()),
        },
        bound: keys.required(bound, "a number above 0", |value| {
            number(value).filter(|&bound| bound > 0.0 && bound.is_finite())
        })?,
    };
    keys.finish()?;
    Ok(target)
}

fn better(figure: Figure) -> &'static str {
    if figure.higher_is_better() {
        "more is better"
    } else {
        "less is better"
    }
}
