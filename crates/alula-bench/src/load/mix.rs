//! Which request is the next.

use crate::error::Error;
use crate::request::MAX_WEIGHT;

/// The order in which kinds of request are sent: a list that is gone through again and again, in
/// which each kind stands as often as its weight says, spread evenly.
#[derive(Debug)]
pub(crate) struct Mix {
    order: Vec<u32>,
}

impl Mix {
    /// # Errors
    ///
    /// If the weights, without their greatest common divisor, add up to more than the list may hold.
    pub(crate) fn new(weights: &[u32]) -> Result<Self, Error> {
        let divisor = weights.iter().copied().reduce(common).unwrap_or(1).max(1);
        let weights: Vec<i64> = weights.iter().map(|one| i64::from(one / divisor)).collect();
        let total: i64 = weights.iter().sum();
        if total > i64::from(MAX_WEIGHT) {
            return Err(Error::Plan(format!(
                "the weights of the requests add up to {total}: up to {MAX_WEIGHT} is accepted"
            )));
        }
        let mut credit = vec![0i64; weights.len()];
        let mut order = Vec::with_capacity(total as usize);
        for _ in 0..total {
            for (credit, weight) in credit.iter_mut().zip(&weights) {
                *credit += weight;
            }
            // The one that is owed most; of several the first.
            let mut chosen = 0;
            for (kind, owed) in credit.iter().enumerate() {
                if *owed > credit[chosen] {
                    chosen = kind;
                }
            }
            credit[chosen] -= total;
            order.push(chosen as u32);
        }
        Ok(Self { order })
    }

    /// Where thread `index` of `threads` begins, so that they don't send the same at once.
    pub(crate) fn start(&self, index: usize, threads: usize) -> usize {
        self.order.len() * index / threads
    }

    /// The kind at a place in the order, and the place behind it.
    pub(crate) fn at(&self, place: usize) -> (u32, usize) {
        let next = if place + 1 == self.order.len() {
            0
        } else {
            place + 1
        };
        (self.order[place], next)
    }
}

fn common(one: u32, other: u32) -> u32 {
    if other == 0 {
        one
    } else {
        common(other, one % other)
    }
}

#[cfg(test)]
mod tests {
    use super::Mix;

    fn counts(weights: &[u32]) -> Vec<usize> {
        let mix = Mix::new(weights).unwrap();
        let mut counts = vec![0; weights.len()];
        let mut place = 0;
        for _ in 0..mix.order.len() {
            let (kind, next) = mix.at(place);
            counts[kind as usize] += 1;
            place = next;
        }
        assert_eq!(place, 0, "it begins again");
        counts
    }

    #[test]
    fn each_kind_comes_as_often_as_its_weight_says() {
        assert_eq!(counts(&[1]), [1]);
        assert_eq!(counts(&[7]), [1]);
        assert_eq!(counts(&[1, 2, 7]), [1, 2, 7]);
        assert_eq!(counts(&[10, 30]), [1, 3]);
        assert_eq!(counts(&[9_999, 1]), [9_999, 1]);
    }

    #[test]
    fn kinds_are_spread() {
        assert_eq!(Mix::new(&[1, 1]).unwrap().order, [0, 1]);
        assert_eq!(Mix::new(&[3, 1]).unwrap().order, [0, 0, 1, 0]);
    }

    #[test]
    fn threads_begin_at_different_places() {
        let mix = Mix::new(&[3, 1]).unwrap();
        assert_eq!((mix.start(0, 2), mix.start(1, 2)), (0, 2));
    }

    #[test]
    fn refuses_a_list_that_would_be_too_long() {
        assert!(Mix::new(&[5_001, 4_999]).is_ok());
        let error = Mix::new(&[5_001, 5_000]).unwrap_err().to_string();
        assert!(
            error.contains("10001") && error.contains("10000"),
            "{error}"
        );
    }
}
