//! From values to places on a plot, and where an axis has its marks.

/// How values become places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear {
        /// At the axis' beginning.
        from: f64,
        /// At its end; above `from`.
        to: f64,
    },
    /// Equal ratios are equally far apart.
    Log {
        /// At the axis' beginning; above 0.
        from: f64,
        /// At its end; above `from`.
        to: f64,
    },
}

impl Scale {
    /// From 0 to at least `highest`, ending at a mark.
    pub fn from_zero(highest: f64) -> Self {
        let step = step(highest.max(f64::MIN_POSITIVE));
        Self::Linear {
            from: 0.0,
            to: (highest / step).ceil().max(1.0) * step,
        }
    }

    /// Around positive values from `lowest` to `highest`, from one power of ten (or two or five
    /// times it) to another.
    pub fn around(lowest: f64, highest: f64) -> Self {
        let lowest = if lowest > 0.0 { lowest } else { 1e-9 };
        let highest = highest.max(lowest);
        let from = marks_around(lowest).rfind(|&mark| mark <= lowest * 1.000_001);
        let to = marks_around(highest).find(|&mark| mark >= highest * 0.999_999);
        let (from, to) = (from.unwrap_or(lowest), to.unwrap_or(highest * 2.0));
        let to = if to > from { to } else { from * 10.0 };
        Self::Log { from, to }
    }

    /// Where a value is: 0 at the beginning, 1 at the end; values beyond are moved to the edge.
    pub fn place(self, value: f64) -> f64 {
        let place = match self {
            Self::Linear { from, to } => (value - from) / (to - from),
            Self::Log { from, to } => (value.max(from) / from).ln() / (to / from).ln(),
        };
        place.clamp(0.0, 1.0)
    }

    /// Where the axis has marks, from its beginning to its end.
    pub fn marks(self) -> Vec<f64> {
        match self {
            Self::Linear { from, to } => {
                let step = step(to - from);
                let count = ((to - from) / step).round() as usize;
                (0..=count)
                    .map(|index| from + step * float(index))
                    .collect()
            }
            Self::Log { from, to } => {
                let all = powers(from, to, &[1.0, 2.0, 5.0]);
                if all.len() <= 9 {
                    return all;
                }
                powers(from, to, &[1.0])
            }
        }
    }
}

#[allow(clippy::cast_precision_loss)] // a handful of marks
fn float(number: usize) -> f64 {
    number as f64
}

/// Some four to eight steps of 1, 2 or 5 times a power of ten to a length.
fn step(length: f64) -> f64 {
    let rough = length / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0];
    let factor = factor
        .into_iter()
        .find(|factor| factor * power >= rough * 0.999);
    power * factor.unwrap_or(10.0)
}

/// Rising marks a decade below and above a value.
fn marks_around(value: f64) -> std::vec::IntoIter<f64> {
    powers(value / 10.0, value * 10.0, &[1.0, 2.0, 5.0]).into_iter()
}

fn powers(from: f64, to: f64, factors: &[f64]) -> Vec<f64> {
    let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let mut marks = Vec::new();
    for exponent in first..=last {
        for factor in factors {
            let mark = factor * 10f64.powi(exponent);
            if mark >= from * 0.999_999 && mark <= to * 1.000_001 {
                marks.push(mark);
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::Scale;

    fn close(found: &[f64], expected: &[f64]) {
        let same = found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(
            found.len() == expected.len() && same,
            "{found:?}, expected {expected:?}"
        );
    }

    #[test]
    fn linear_axes_end_at_a_mark() {
        let scale = Scale::from_zero(133.0);
        close(&scale.marks(), &[0.0, 50.0, 100.0, 150.0]);
        close(
            &[scale.place(0.0), scale.place(75.0), scale.place(150.0)],
            &[0.0, 0.5, 1.0],
        );
        close(&Scale::from_zero(0.0).marks()[..1], &[0.0]);
    }

    #[test]
    fn logarithmic_axes_hold_their_values() {
        let scale = Scale::around(0.3, 45.0);
        assert_eq!(
            scale,
            Scale::Log {
                from: 0.2,
                to: 50.0
            }
        );
        close(&scale.marks(), &[0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        let scale = Scale::Log {
            from: 1.0,
            to: 100.0,
        };
        close(
            &[scale.place(0.1), scale.place(10.0), scale.place(1e9)],
            &[0.0, 0.5, 1.0],
        );
        assert_eq!(
            Scale::around(1.0, 1.0),
            Scale::Log {
                from: 1.0,
                to: 10.0
            }
        );
    }
}
