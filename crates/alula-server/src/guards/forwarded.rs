//! Who a request really comes from, where a trusted proxy says so in `X-Forwarded-For` and
//! `X-Forwarded-Proto`.
//!
//! The rules are uvicorn's (`ProxyHeadersMiddleware`), so that a deployment behind a proxy behaves
//! the same.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::IpAddr;

/// The peers whose word is taken.
#[derive(Clone, Debug, Default)]
pub struct Trusted {
    everyone: bool,
    addresses: Vec<IpAddr>,
    networks: Vec<(IpAddr, u32)>,
    literals: Vec<String>,
}

impl Trusted {
    /// From addresses, networks (`10.0.0.0/8`) and literal names; `*` alone trusts everyone.
    pub fn new<S: AsRef<str>>(entries: &[S]) -> Self {
        let mut trusted = Self::default();
        if let [only] = entries
            && only.as_ref() == "*"
        {
            trusted.everyone = true;
            return trusted;
        }
        for entry in entries.iter().map(AsRef::as_ref) {
            if let Some(network) = network(entry) {
                trusted.networks.push(network);
            } else if let Ok(address) = entry.parse() {
                trusted.addresses.push(address);
            } else {
                trusted.literals.push(entry.to_owned());
            }
        }
        trusted
    }

    /// Whether a peer (`None`: one without an address, on a Unix socket) is believed.
    pub fn trusts(&self, host: Option<&str>) -> bool {
        if self.everyone {
            return true;
        }
        let Some(host) = host.filter(|host| !host.is_empty()) else {
            return false;
        };
        match host.parse::<IpAddr>() {
            Ok(address) => {
                self.addresses.contains(&address)
                    || self
                        .networks
                        .iter()
                        .any(|network| contains(*network, address))
            }
            Err(_) => self.literals.iter().any(|literal| literal == host),
        }
    }

    /// The client that `X-Forwarded-For` (several lines joined by commas) names: each proxy appends
    /// the peer it saw, so it is the last one that is not itself trusted, or the first if all are.
    /// `None` where that is empty. The port is 0 where none is told.
    pub fn client<'a>(&self, forwarded_for: &'a str) -> Option<(&'a str, i64)> {
        let mut hops = forwarded_for.split(',').map(str::trim);
        let last = if self.everyone {
            None
        } else {
            hops.clone()
                .map(host_and_port)
                .rfind(|(host, _)| !self.trusts(Some(host)))
        };
        let (host, port) = last.or_else(|| hops.next().map(host_and_port))?;
        (!host.is_empty()).then_some((host, port))
    }
}

/// The scheme that `X-Forwarded-Proto` names, for a request that is no WebSocket.
pub fn scheme(forwarded_proto: &str) -> Option<&'static str> {
    ["http", "https", "ws", "wss"]
        .into_iter()
        .find(|known| *known == forwarded_proto.trim())
}

/// A host that a proxy has told of, fit for logs and applications. An address, a name or an
/// obfuscated token (RFC 7239 section 6.3) is left as it is; of anything else every character that
/// is in none of those (quotes, spaces, control characters, letters beyond ASCII) becomes `\xNN`, so
/// that no client writes lines or terminal sequences into a log.
pub fn harmless(host: &str) -> Cow<'_, str> {
    let plain = |char: char| char.is_ascii_alphanumeric() || "._-:%[]/".contains(char);
    if host.chars().all(plain) {
        return Cow::Borrowed(host);
    }
    let mut escaped = String::with_capacity(host.len() + 12);
    for char in host.chars() {
        if plain(char) {
            escaped.push(char);
        } else {
            let _ = write!(escaped, "\\x{:02x}", u32::from(char));
        }
    }
    Cow::Owned(escaped)
}

/// `address/prefix` or `address/netmask`, without bits beyond the mask.
fn network(entry: &str) -> Option<(IpAddr, u32)> {
    let (address, mask) = entry.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let prefix = match mask.parse::<u32>() {
        Ok(prefix) => prefix,
        Err(_) => prefix_of(mask.parse().ok()?)?,
    };
    (prefix <= bits && masked(address, prefix) == number(address)).then_some((address, prefix))
}

/// The length of a netmask like `255.255.0.0`.
fn prefix_of(mask: std::net::Ipv4Addr) -> Option<u32> {
    let bits = mask.to_bits();
    (bits.leading_ones() + bits.trailing_zeros() == 32).then(|| bits.leading_ones())
}

fn contains((network, prefix): (IpAddr, u32), address: IpAddr) -> bool {
    network.is_ipv4() == address.is_ipv4() && masked(address, prefix) == number(network)
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The address's leading `prefix` bits, the rest zero.
fn masked(address: IpAddr, prefix: u32) -> u128 {
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let host_bits = bits - prefix;
    number(address)
        .checked_shr(host_bits)
        .unwrap_or(0)
        .checked_shl(host_bits)
        .unwrap_or(0)
}

/// One hop: `host`, `host:port`, `[host]` or `[host]:port`. What fits none of these is taken as a
/// host whole, so that nothing is trusted by mistake.
fn host_and_port(hop: &str) -> (&str, i64) {
    if let Some(inner) = hop.strip_prefix('[') {
        let Some((host, rest)) = inner.split_once(']') else {
            return (hop, 0);
        };
        return match rest.strip_prefix(':') {
            Some(port) => (host, port.trim().parse().unwrap_or(0)),
            None if rest.is_empty() => (host, 0),
            None => (hop, 0),
        };
    }
    match hop.split_once(':') {
        Some((host, port)) if !port.contains(':') => match port.trim().parse() {
            Ok(port) => (host, port),
            Err(_) => (hop, 0),
        },
        _ => (hop, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client<'a>(trusted: &[&str], header: &'a str) -> Option<(&'a str, i64)> {
        Trusted::new(trusted).client(header)
    }

    #[test]
    fn believes_addresses_networks_and_literals() {
        let trusted = Trusted::new(&["127.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32", "proxy"]);
        for host in [
            "127.0.0.1",
            "10.255.1.2",
            "::1",
            "0:0::1",
            "2001:db8:1::7",
            "proxy",
        ] {
            assert!(trusted.trusts(Some(host)), "{host}");
        }
        for host in ["127.0.0.2", "11.0.0.1", "::2", "2001:db9::1", "other", ""] {
            assert!(!trusted.trusts(Some(host)), "{host}");
        }
        assert!(!trusted.trusts(None));
    }

    #[test]
    fn a_star_believes_even_a_unix_peer() {
        assert!(Trusted::new(&["*"]).trusts(None));
        assert!(!Trusted::new(&["*", "127.0.0.1"]).trusts(None));
    }

    #[test]
    fn a_network_with_host_bits_is_only_a_name() {
        let trusted = Trusted::new(&["10.0.0.1/8"]);
        assert!(!trusted.trusts(Some("10.0.0.1")));
        assert!(trusted.trusts(Some("10.0.0.1/8")));
    }

    #[test]
    fn understands_netmasks() {
        let trusted = Trusted::new(&["192.168.0.0/255.255.0.0", "0.0.0.0/255.0.255.0"]);
        assert!(trusted.trusts(Some("192.168.3.4")));
        assert!(!trusted.trusts(Some("192.169.3.4")));
        assert!(Trusted::new(&["0.0.0.0/0"]).trusts(Some("8.8.8.8")));
        assert!(Trusted::new(&["::/0"]).trusts(Some("2001:db8::1")));
        assert!(!Trusted::new(&["0.0.0.0/0"]).trusts(Some("::1")));
    }

    #[test]
    fn names_the_last_hop_that_is_not_a_proxy() {
        let trusted = &["127.0.0.1", "10.0.0.0/8"];
        assert_eq!(client(trusted, "1.2.3.4"), Some(("1.2.3.4", 0)));
        assert_eq!(
            client(trusted, "9.9.9.9, 1.2.3.4, 10.0.0.1"),
            Some(("1.2.3.4", 0))
        );
        assert_eq!(client(trusted, "10.0.0.2, 10.0.0.1"), Some(("10.0.0.2", 0)));
        assert_eq!(client(&["*"], "9.9.9.9, 1.2.3.4"), Some(("9.9.9.9", 0)));
        assert_eq!(client(trusted, ""), None);
        assert_eq!(client(&["*"], " , 1.2.3.4"), None);
    }

    #[test]
    fn reads_ports() {
        let trusted = &["127.0.0.1"];
        assert_eq!(client(trusted, "1.2.3.4:81"), Some(("1.2.3.4", 81)));
        assert_eq!(
            client(trusted, "[2001:db8::1]:82"),
            Some(("2001:db8::1", 82))
        );
        assert_eq!(client(trusted, "[2001:db8::1]"), Some(("2001:db8::1", 0)));
        assert_eq!(client(trusted, "2001:db8::1"), Some(("2001:db8::1", 0)));
        assert_eq!(client(trusted, "[2001:db8::1"), Some(("[2001:db8::1", 0)));
        assert_eq!(client(trusted, "[::2]x"), Some(("[::2]x", 0)));
        assert_eq!(client(trusted, "name:port"), Some(("name:port", 0)));
    }

    #[test]
    fn escapes_what_no_host_has() {
        for host in [
            "1.2.3.4",
            "fe80::1%eth0",
            "[2001:db8::1",
            "unknown",
            "_gazonk",
            "/run/p.sock",
        ] {
            assert!(matches!(harmless(host), Cow::Borrowed(same) if same == host));
        }
        assert_eq!(harmless("1.2.3.4\u{9b}31m"), "1.2.3.4\\x9b31m");
        assert_eq!(harmless("a - \"GET"), "a\\x20-\\x20\\x22GET");
        assert_eq!(harmless("\\x9b\té"), "\\x5cx9b\\x09\\xe9");
    }

    #[test]
    fn knows_four_schemes() {
        assert_eq!(scheme(" https "), Some("https"));
        assert_eq!(scheme("wss"), Some("wss"));
        assert_eq!(scheme("HTTPS"), None);
        assert_eq!(scheme("javascript"), None);
    }
}
