//! A connection that has served a request serves the next ones without allocating.

#[path = "../examples/exchange.rs"]
mod exchange;

use allocation_counter::measure;

#[test]
fn requests_and_answers_after_the_first_allocate_nothing() {
    let mut exchanges = exchange::Exchanges::default();
    let first = measure(|| exchanges.round());
    assert!(first.count_total > 0, "the measure sees nothing");
    let later = measure(|| (0..100).for_each(|_| exchanges.round()));
    assert_eq!((later.count_total, later.bytes_total), (0, 0));
}
