//! Where the requests go.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A server, and the path of the URL that named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    url: String,
    host: String,
    path: String,
    address: Address,
}

/// What to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// One of these, the first that answers.
    Inet(Vec<SocketAddr>),
    /// A Unix socket.
    Unix(PathBuf),
}

impl Target {
    /// Reads `http://HOST[:PORT][/PATH][?QUERY]`, and looks the host up.
    ///
    /// # Errors
    ///
    /// Another scheme, a malformed URL, or a host that nobody knows.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let (authority, path) = split(url)?;
        let target = Self {
            url: url.to_owned(),
            host: authority.to_owned(),
            path,
            address: Address::Inet(look_up(url, authority)?),
        };
        Ok(target)
    }

    /// The same URL, asked through a Unix socket; its host, which is not looked up, only goes into
    /// the `Host` header.
    ///
    /// # Errors
    ///
    /// Another scheme, or a malformed URL.
    pub fn unix(url: &str, socket: &Path) -> Result<Self, Error> {
        let (authority, path) = split(url)?;
        Ok(Self {
            url: url.to_owned(),
            host: authority.to_owned(),
            path,
            address: Address::Unix(socket.to_owned()),
        })
    }

    /// The URL as it was given.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The value of the `Host` header: host, and port if the URL has one.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Path and query; `/` if the URL has none.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What to connect to.
    pub fn address(&self) -> &Address {
        &self.address
    }
}

/// The authority, and the path with its query.
fn split(url: &str) -> Result<(&str, String), Error> {
    let refuse = |why: &str| {
        let text = format!("URL '{url}': {why}; http://HOST[:PORT][/PATH][?QUERY] is accepted");
        Err(Error::Plan(text))
    };
    let Some((scheme, rest)) = url.split_once("://") else {
        return refuse("it has no scheme");
    };
    match scheme.to_ascii_lowercase().as_str() {
        "http" => {}
        "https" => return refuse("TLS is not spoken yet"),
        "ws" | "wss" => return refuse("WebSockets are not spoken yet"),
        "h2" | "h2c" => return refuse("HTTP/2 is not spoken yet"),
        _ => return refuse(&format!("the scheme '{scheme}' is unknown")),
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    if authority.is_empty() {
        return refuse("it has no host");
    }
    if authority.contains('@') {
        return refuse(
            "it has a user name, for which there is no use (give -H 'Authorization: …')",
        );
    }
    if rest.contains('#') {
        return refuse("it has a fragment, which is never sent");
    }
    let path = match rest.as_bytes().first() {
        Some(b'/') => rest.to_owned(),
        _ => format!("/{rest}"),
    };
    Ok((authority, path))
}

/// The addresses of `HOST[:PORT]`; the port is 80 if it has none.
fn look_up(url: &str, authority: &str) -> Result<Vec<SocketAddr>, Error> {
    let behind_literal = authority.rfind(']').unwrap_or(0);
    let addresses = if authority[behind_literal..].contains(':') {
        authority.to_socket_addrs()
    } else {
        format!("{authority}:80").to_socket_addrs()
    };
    let refuse = |why: String| Error::Plan(format!("URL '{url}': host '{authority}': {why}"));
    let addresses: Vec<_> = addresses
        .map_err(|error| refuse(error.to_string()))?
        .collect();
    if addresses.is_empty() {
        return Err(refuse("it has no address".into()));
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Address, Target};

    #[test]
    fn takes_a_url_apart() {
        for (url, host, path, address) in [
            ("http://127.0.0.1", "127.0.0.1", "/", "127.0.0.1:80"),
            (
                "HTTP://127.0.0.1:81/a?b=1",
                "127.0.0.1:81",
                "/a?b=1",
                "127.0.0.1:81",
            ),
            ("http://127.0.0.1?q", "127.0.0.1", "/?q", "127.0.0.1:80"),
            ("http://[::1]/x", "[::1]", "/x", "[::1]:80"),
            ("http://[::1]:82", "[::1]:82", "/", "[::1]:82"),
        ] {
            let target = Target::parse(url).unwrap();
            assert_eq!((target.host(), target.path()), (host, path), "{url}");
            let address = address.parse().unwrap();
            assert_eq!(target.address(), &Address::Inet(vec![address]), "{url}");
            assert_eq!(target.url(), url);
        }
    }

    #[test]
    fn does_not_look_up_the_host_of_a_unix_socket() {
        let target = Target::unix("http://app.invalid/x", Path::new("/run/app.sock")).unwrap();
        assert_eq!((target.host(), target.path()), ("app.invalid", "/x"));
        assert_eq!(target.address(), &Address::Unix("/run/app.sock".into()));
    }

    #[test]
    fn says_what_is_wrong_with_a_url() {
        for (url, why) in [
            ("127.0.0.1:8000/", "no scheme"),
            ("https://127.0.0.1/", "TLS is not spoken yet"),
            ("h2c://127.0.0.1/", "HTTP/2 is not spoken yet"),
            ("ws://127.0.0.1/", "WebSockets are not spoken yet"),
            ("ftp://127.0.0.1/", "scheme 'ftp' is unknown"),
            ("http:///x", "no host"),
            ("http://me@127.0.0.1/", "user name"),
            ("http://127.0.0.1/#x", "fragment"),
            ("http://127.0.0.1:x/", "host '127.0.0.1:x'"),
            ("http://127.0.0.1:99999/", "host '127.0.0.1:99999'"),
        ] {
            let error = Target::parse(url).unwrap_err().to_string();
            assert!(error.contains(why), "{url}: {error}");
            assert!(error.contains(&format!("URL '{url}'")), "{url}: {error}");
        }
    }
}
