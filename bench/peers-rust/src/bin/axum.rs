//! axum on one thread: tokio's current-thread runtime, as for one core it is the quicker one.

#![forbid(unsafe_code)]

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use peers_rust::{Add, HEALTH, add, arguments, user};
use tokio::net::TcpListener;

async fn health() -> Response {
    Json(HEALTH).into_response()
}

async fn read_user(Path(id): Path<String>) -> Response {
    match user(&id) {
        Ok(user) => Json(user).into_response(),
        Err(refusal) => (StatusCode::BAD_REQUEST, Json(refusal)).into_response(),
    }
}

async fn sum(Json(numbers): Json<Add>) -> Response {
    match add(numbers) {
        Ok(sum) => Json(sum).into_response(),
        Err(refusal) => (StatusCode::UNPROCESSABLE_ENTITY, Json(refusal)).into_response(),
    }
}

async fn serve(port: u16) -> std::io::Result<()> {
    let routes = Router::new()
        .route("/health", get(health))
        .route("/users/{id}", get(read_user))
        .route("/add", post(sum));
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.local_addr()?.port());
    let listener = listener.tap_io(|stream| {
        // A connection that is gone already will say so itself.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, routes).await
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // It lets connections idle for as long as they like.
    let (port, _) = arguments()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    Ok(runtime.block_on(serve(port))?)
}
