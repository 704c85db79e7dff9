//! The same over real sockets.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use loopwright::llm::Http;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::judge;
use super::plan::{End, Plan};
use super::world::{Seen, World};

/// Waits are shorter here than in the plans: nobody has a day.
const FASTER: u32 = 2_000;

#[tokio::test]
async fn over_real_sockets_it_is_the_same() {
    let all = (10_000..10_050).map(|seed| async move {
        let world = World::new(seed);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = tokio::spawn(serve(listener, world.seen.clone()));
        let http = Arc::new(Http::new().expect("a client"));
        let told = world.run_over(http, &format!("http://{address}/v1"), "2s").await;
        judge(seed, &told);
        server.abort();
    });
    futures::future::join_all(all).await;
}

async fn serve(listener: TcpListener, seen: Arc<Mutex<Seen>>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, seen.clone()));
    }
}

/// Answers one request and closes the connection.
async fn answer(mut stream: TcpStream, seen: Arc<Mutex<Seen>>) -> Option<()> {
    let mut bytes = Vec::new();
    let end = loop {
        let mut piece = [0; 4096];
        let size = stream.read(&mut piece).await.ok().filter(|size| *size > 0)?;
        bytes.extend_from_slice(&piece[..size]);
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: bearer a-key-of-the-tests\r\n"), "{head}");
    let length = head.split("content-length: ").nth(1)?.split("\r\n").next()?.parse::<usize>().ok()?;
    let mut rest = vec![0; (end + length).saturating_sub(bytes.len())];
    stream.read_exact(&mut rest).await.ok()?;
    let plan = seen.lock().expect("nobody panicked").next();
    send(&mut stream, plan).await
}

async fn send(stream: &mut TcpStream, plan: Plan) -> Option<()> {
    let (status, headers) = plan.head?;
    let mut lines = String::new();
    for (name, value) in headers.iter().filter(|(_, value)| !value.contains('\u{7f}')) {
        // Nobody has the time for whole seconds.
        let (name, value) =
            if value == "2" { ("retry-after-ms", "10") } else { (name.as_str(), value.as_str()) };
        let _ = write!(lines, "{name}: {value}\r\n");
    }
    let head = format!(
        "HTTP/1.1 {status} Whatever\r\n{lines}transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    for (pause, piece) in plan.pieces {
        tokio::time::sleep(pause / FASTER).await;
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend(piece);
        chunk.extend(b"\r\n");
        stream.write_all(&chunk).await.ok()?;
    }
    match plan.end {
        End::Whole => stream.write_all(b"0\r\n\r\n").await.ok()?,
        End::Broken => {}
        End::Silent => tokio::time::sleep(Duration::from_mins(1)).await,
    }
    stream.shutdown().await.ok()
}
