use std::process::{Command, Stdio};

use super::{ServerUse, ThreadTime, cpu_seconds, resident};

#[test]
fn reads_the_times_of_a_process_whatever_its_name() {
    let stat = "42 (a) b) R 1 2 3 4 5 6 7 8 9 10 150 25 7 3 20 0 1 0";
    assert_eq!(cpu_seconds(stat), Some(1.85));
    assert_eq!(cpu_seconds("42 (a) R 1 2"), None);
}

#[test]
fn reads_resident_memory() {
    assert_eq!(
        resident("Name:\tx\nVmRSS:\t    1300 kB\nThreads:\t1\n"),
        1300 * 1024
    );
    assert_eq!(resident("Name:\tzombie\n"), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn finds_a_process_and_all_below_it() {
    // The shell tells that its child is there, and waits until its input ends.
    let mut shell = Command::new("sh")
        .args(["-c", "sh -c 'echo up; read line'; exit 0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut up = [0; 3];
    std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut up).unwrap();
    let used = ServerUse::of(shell.id()).unwrap();
    assert!(used.processes >= 2, "{used:?}");
    assert!(used.rss > 100_000, "{used:?}");
    drop(shell.stdin.take());
    shell.wait().unwrap();
    assert_eq!(ServerUse::of(shell.id()), None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_busy_thread_shows() {
    let before = ThreadTime::now().unwrap();
    // Until the kernel has noted it: that is a matter of its own clock.
    let mut sum = 0u64;
    while ThreadTime::now().unwrap().since(before).running < 1_000_000 {
        sum = (0..10_000).fold(sum, u64::wrapping_add);
    }
    assert!(sum > 0);
}
