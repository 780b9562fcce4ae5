//! An objective, such as `p99<10ms,p99.9<50ms`.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::output::number::time;
use crate::report::Latency;

/// Bounds on latencies, all of which have to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Slo {
    text: String,
    bounds: Vec<Bound>,
}

#[derive(Clone, Debug, PartialEq)]
struct Bound {
    /// A row of [`Latency::rows`].
    name: String,
    microseconds: f64,
    /// The bound itself is good enough.
    inclusive: bool,
}

impl Slo {
    /// Which bound a run has missed, and by what; `None` if it kept them all.
    pub fn missed(&self, latency: &Latency) -> Option<String> {
        let rows = latency.rows();
        self.bounds.iter().find_map(|bound| {
            let (_, value) = rows.iter().find(|(name, _)| *name == bound.name)?;
            let limit = bound.microseconds;
            let kept = *value < limit || (bound.inclusive && *value <= limit);
            (!kept).then(|| format!("{} is {}", bound.name, time(*value)))
        })
    }
}

impl FromStr for Slo {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bounds: Option<Vec<Bound>> = text.split(',').map(bound).collect();
        match bounds {
            Some(bounds) => Ok(Self {
                text: text.to_owned(),
                bounds,
            }),
            None => Err(Error::Plan(format!(
                "objective '{text}': FIGURE<TIME is accepted, several with commas between; FIGURE is \
                 one of p50, p90, p99, p99.9, p99.99, max, mean, TIME a number with us, ms or s"
            ))),
        }
    }
}

impl fmt::Display for Slo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn bound(text: &str) -> Option<Bound> {
    let (name, limit) = text.split_once('<')?;
    let name = name.trim();
    let known = Latency::default().rows();
    known.iter().find(|(known, _)| *known == name)?;
    let (inclusive, limit) = match limit.strip_prefix('=') {
        Some(limit) => (true, limit),
        None => (false, limit),
    };
    Some(Bound {
        name: name.to_owned(),
        microseconds: microseconds(limit.trim())?,
        inclusive,
    })
}

fn microseconds(text: &str) -> Option<f64> {
    let units = [("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6)];
    let (number, unit) = units
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let number: f64 = number.trim().parse().ok()?;
    (number > 0.0 && number.is_finite()).then_some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::Slo;
    use crate::report::Latency;

    #[test]
    fn each_bound_counts() {
        let slo: Slo = "p99<10ms, p99.9<=500us,max<1s".parse().unwrap();
        let good = Latency {
            p99: 9_999.0,
            p999: 500.0,
            max: 999_999.0,
            ..Latency::default()
        };
        assert_eq!(slo.missed(&good), None);
        let p99 = Latency {
            p99: 10_000.0,
            ..good
        };
        assert_eq!(slo.missed(&p99).unwrap(), "p99 is 10.0 ms");
        let p999 = Latency {
            p999: 500.1,
            ..good
        };
        assert_eq!(slo.missed(&p999).unwrap(), "p99.9 is 500 µs");
        let max = Latency { max: 1e6, ..good };
        assert_eq!(slo.missed(&max).unwrap(), "max is 1.00 s");
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        for text in [
            "",
            "p99",
            "p99<",
            "p99<10",
            "p98<10ms",
            "p99>10ms",
            "p99<-1ms",
            "p99<0ms",
            "p99<infs",
            "p99<10ms,",
            "p99<10m",
        ] {
            let error = text.parse::<Slo>().unwrap_err().to_string();
            assert!(
                error.contains(&format!("'{text}'")) && error.contains("p99.99"),
                "{error}"
            );
        }
    }
}
