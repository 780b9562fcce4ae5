//! The load's core: this process, with all its threads, for as long as it measures.

use std::path::Path;

use alula_bench::compare::pin::Pinning;

fn cores() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("a status");
    let line = status
        .lines()
        .find(|line| line.starts_with("Cpus_allowed_list:"));
    let (_, cores) = line.expect("a list").split_once(':').expect("a value");
    cores.trim().to_owned()
}

#[test]
fn this_process_is_on_one_core_while_it_measures_and_on_its_own_again_after() {
    let pinning = Pinning::find();
    if !pinning.is_possible() || !Path::new("/proc/thread-self/status").exists() {
        println!("skipped: there is no taskset, or no /proc");
        return;
    }
    let before = cores();
    let first = before
        .split([',', '-'])
        .next()
        .expect("a core")
        .parse()
        .expect("a number");
    let pinned = pinning.pin_self(Some(first)).expect("pinned");
    assert_eq!(cores(), first.to_string());
    let of_thread = std::thread::spawn(cores).join().expect("a thread");
    assert_eq!(of_thread, first.to_string());
    drop(pinned);
    assert_eq!(cores(), before);
    drop(pinning.pin_self(None).expect("nothing to do"));
    assert_eq!(cores(), before);
    assert!(pinning.pin_self(Some(4000)).is_err());
}
