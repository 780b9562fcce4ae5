use super::{CoreUse, Meter};

#[test]
fn a_share_is_running_and_waiting_of_the_whole() {
    let used = CoreUse {
        running: 600,
        waiting: 200,
        elapsed: 1000,
    };
    assert!((used.share() - 0.8).abs() < 1e-9);
    assert!(CoreUse::default().share().abs() < 1e-9);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_spent_polling_is_not_counted() {
    let mut meter = Meter::default();
    meter.look(5, 10, 20);
    assert_eq!(meter.used(), None, "the interval has not begun");
    meter.look(10, 10, 20);
    meter.spun = u64::MAX / 2;
    meter.look(20, 10, 20);
    meter.look(30, 10, 20);
    let used = meter.used().unwrap();
    // It was polling all the time, as far as the meter was told.
    assert_eq!((used.running, used.elapsed), (0, 10));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interval_that_is_cut_short_ends_then() {
    let mut meter = Meter::default();
    meter.look(10, 10, 1000);
    meter.end(50, 10);
    assert_eq!(meter.used().unwrap().elapsed, 40);
}
