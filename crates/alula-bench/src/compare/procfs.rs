//! What the system tells of a server's processes, from `/proc`; nothing where there is none.

use std::collections::BTreeMap;
use std::fs;

/// The resident memory of a process and all below it, in bytes; pages that they share count for
/// each. `None` if there is no such process or no `/proc`.
pub fn resident_bytes(pid: u32) -> Option<u64> {
    let tree = tree(pid);
    let sizes: Vec<u64> = tree.into_iter().filter_map(resident_of).collect();
    (!sizes.is_empty()).then(|| sizes.iter().sum())
}

/// A process and all below it.
pub fn tree(pid: u32) -> Vec<u32> {
    let parents = parents();
    let mut tree = Vec::new();
    if parents.contains_key(&pid) {
        tree.push(pid);
    }
    let mut index = 0;
    while let Some(&parent) = tree.get(index) {
        let children = parents.iter().filter(|&(_, &above)| above == parent);
        tree.extend(children.map(|(&child, _)| child));
        index += 1;
    }
    tree
}

/// The parent of every process.
fn parents() -> BTreeMap<u32, u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid: u32| Some((pid, parent_of(pid)?)))
        .collect()
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command's name, in parentheses, may have spaces and parentheses itself.
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    fields.nth(1)?.parse().ok()
}

fn resident_of(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kibibytes: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Time that a core was in use, by whomever, in hundredths of a second since the system started;
/// time stolen from a virtual core included.
pub fn busy_ticks(core: u32) -> Option<u64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let name = format!("cpu{core} ");
    let line = stat.lines().find(|line| line.starts_with(&name))?;
    let fields: Vec<u64> = line
        .split_ascii_whitespace()
        .skip(1)
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    // user, nice, system, (idle, iowait,) irq, softirq, steal; proc(5).
    Some(
        [0, 1, 2, 5, 6, 7]
            .iter()
            .filter_map(|&at| fields.get(at))
            .sum(),
    )
}

#[cfg(test)]
mod tests {
    use super::{resident_bytes, tree};

    #[test]
    fn this_process_has_memory_and_stands_in_its_own_tree() {
        if !std::path::Path::new("/proc/self/stat").exists() {
            println!("skipped: there is no /proc");
            return;
        }
        let pid = std::process::id();
        assert!(resident_bytes(pid).expect("a size") > 100_000);
        assert_eq!(tree(pid).first(), Some(&pid));
        assert_eq!(resident_bytes(u32::MAX), None);
    }
}
