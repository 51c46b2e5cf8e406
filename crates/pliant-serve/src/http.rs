//! The few requests that the server answers: the page, and the upgrade to a WebSocket.
//!
//! Everything but a right token gets the same refusal. The host must be an address or `localhost`, and the origin of a
//! WebSocket must be that host: a foreign site that resolves its name to this machine is refused.

use crate::token::Token;
use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::handshake::derive_accept_key;

/// Largest head of a request [bytes].
const MOST_BYTES: usize = 8192;
/// Most headers of a request.
const MOST_HEADERS: usize = 64;
/// Time for the whole head.
pub const HEAD_TIME: Duration = Duration::from_secs(5);

/// What a client wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// The page.
    Page,
    /// A WebSocket, with the key of its handshake.
    Socket(String),
    /// Nothing that it may have: status and reason.
    Refused(u16, &'static str),
}

/// Reads the head of a request, within limits of time and size.
pub fn read_head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let start = Instant::now();
    let mut head = Vec::new();
    let mut part = [0_u8; 1024];
    loop {
        let left = HEAD_TIME.checked_sub(start.elapsed()).filter(|t| !t.is_zero()).ok_or(io::ErrorKind::TimedOut)?;
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // Only new bytes and the three before them can complete the empty line.
        let from = head.len().saturating_sub(3);
        head.extend_from_slice(&part[..count]);
        if head[from..].windows(4).any(|w| w == b"\r\n\r\n") {
            return Ok(head);
        }
        if head.len() > MOST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// What a head asks for.
pub fn request(head: &[u8], token: &Token, loopback: bool) -> Request {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    if !matches!(parsed.parse(head), Ok(httparse::Status::Complete(_))) {
        return Request::Refused(400, "Bad Request");
    }
    let value = |name: &str| {
        let mut all = parsed.headers.iter().filter(|h| h.name.eq_ignore_ascii_case(name));
        let first = all.next().and_then(|h| std::str::from_utf8(h.value).ok());
        // A header that is given twice is not trusted.
        if all.next().is_some() { None } else { first }
    };
    let (path, query) =
        parsed.path.unwrap_or_default().split_once('?').unwrap_or((parsed.path.unwrap_or_default(), ""));
    let Some(host) = value("host").filter(|host| is_address(host, loopback)) else {
        return Request::Refused(403, "Forbidden");
    };
    let given = query.split('&').find_map(|part| part.strip_prefix("token="));
    if !given.is_some_and(|t| token.is(t)) {
        return Request::Refused(403, "Forbidden");
    }
    match (parsed.method, path) {
        (Some("GET"), "/") => Request::Page,
        (Some("GET"), "/socket") => {
            let own = value("origin").and_then(|o| o.strip_prefix("http://")) == Some(host);
            let upgrade = value("upgrade").is_some_and(|u| u.eq_ignore_ascii_case("websocket"));
            let right = value("sec-websocket-version") == Some("13");
            match value("sec-websocket-key").filter(|key| key.len() == 24) {
                Some(key) if own && upgrade && right => Request::Socket(key.to_owned()),
                _ if !own => Request::Refused(403, "Forbidden"),
                _ => Request::Refused(400, "Bad Request"),
            }
        }
        (Some("GET"), _) => Request::Refused(404, "Not Found"),
        _ => Request::Refused(405, "Method Not Allowed"),
    }
}

/// Whether a host is an address (of this machine alone, where only it may connect) or `localhost`, and no other name.
fn is_address(host: &str, loopback: bool) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).unwrap_or(name);
    match bare.parse::<IpAddr>() {
        Ok(address) => !loopback || address.is_loopback(),
        Err(_) => bare.eq_ignore_ascii_case("localhost"),
    }
}

/// Sends the page. `nonce` is that of its script and style.
pub fn send_page(stream: &mut TcpStream, page: &str, nonce: &str) -> io::Result<()> {
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Content-Security-Policy: {policy}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        page.len()
    )?;
    stream.write_all(page.as_bytes())?;
    stream.flush()
}

/// Refuses a request.
pub fn send_refusal(stream: &mut TcpStream, status: u16, reason: &str) -> io::Result<()> {
    write!(stream, "HTTP/1.1 {status} {reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
    stream.flush()
}

/// Accepts a WebSocket.
pub fn send_upgrade(stream: &mut TcpStream, key: &str) -> io::Result<()> {
    let accept = derive_accept_key(key.as_bytes());
    write!(
        stream,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

    fn socket(token: &str, host: &str, origin: &str) -> String {
        format!(
            "GET /socket?token={token} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n\r\n"
        )
    }

    #[test]
    fn only_the_token_opens_the_page_and_the_socket() {
        let token = Token::new().unwrap();
        let page = |t: &str| format!("GET /?token={t} HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n");
        let ask = |head: &str| request(head.as_bytes(), &token, true);
        assert_eq!(ask(&page(token.text())), Request::Page);
        assert_eq!(ask(&page("")), Request::Refused(403, "Forbidden"));
        assert_eq!(ask("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), Request::Refused(403, "Forbidden"));
        let good = socket(token.text(), "127.0.0.1:8000", "http://127.0.0.1:8000");
        assert_eq!(ask(&good), Request::Socket(KEY.to_owned()));
        assert_eq!(ask(&good.replace("/socket", "/etc/passwd")), Request::Refused(404, "Not Found"));
        assert_eq!(ask(&good.replace("GET", "POST")), Request::Refused(405, "Method Not Allowed"));
        assert_eq!(ask(&good.replace("13\r\n", "8\r\n")), Request::Refused(400, "Bad Request"));
        assert_eq!(ask("\u{0}\r\n\r\n"), Request::Refused(400, "Bad Request"));
    }

    #[test]
    fn foreign_hosts_and_origins_are_refused() {
        let token = Token::new().unwrap();
        let refused = Request::Refused(403, "Forbidden");
        for (host, origin, loopback) in [
            ("evil.example:8000", "http://evil.example:8000", true),
            ("evil.example:8000", "http://evil.example:8000", false),
            ("127.0.0.1:8000", "http://evil.example", true),
            ("127.0.0.1:8000", "http://127.0.0.1:9000", true),
            ("127.0.0.1:8000", "null", true),
            ("192.168.1.5:8000", "http://192.168.1.5:8000", true),
            ("127.0.0.1.evil.example", "http://127.0.0.1.evil.example", true),
        ] {
            let head = socket(token.text(), host, origin);
            assert_eq!(request(head.as_bytes(), &token, loopback), refused, "{host} {origin}");
        }
        for (host, loopback) in [("localhost:1", true), ("[::1]:8000", true), ("192.168.1.5:8000", false)] {
            let head = socket(token.text(), host, &format!("http://{host}"));
            assert_eq!(request(head.as_bytes(), &token, loopback), Request::Socket(KEY.to_owned()), "{host}");
        }
        // A second header must not hide the first.
        let twice =
            socket(token.text(), "127.0.0.1", "http://127.0.0.1").replace("Upgrade: web", "Host: x\r\nUpgrade: web");
        assert_eq!(request(twice.as_bytes(), &token, true), refused);
    }
}
