//! actix-web with one worker.

#![forbid(unsafe_code)]

use std::time::Duration;

use actix_web::rt::System;
use actix_web::web::{Json, Path, get, post};
use actix_web::{App, HttpResponse, HttpServer};
use peers_rust::{Add, HEALTH, add, arguments, user};

async fn health() -> HttpResponse {
    HttpResponse::Ok().json(HEALTH)
}

async fn read_user(id: Path<String>) -> HttpResponse {
    match user(&id) {
        Ok(user) => HttpResponse::Ok().json(user),
        Err(refusal) => HttpResponse::BadRequest().json(refusal),
    }
}

async fn sum(numbers: Json<Add>) -> HttpResponse {
    match add(numbers.into_inner()) {
        Ok(sum) => HttpResponse::Ok().json(sum),
        Err(refusal) => HttpResponse::UnprocessableEntity().json(refusal),
    }
}

async fn serve(port: u16, idle: Option<u64>) -> std::io::Result<()> {
    let server = HttpServer::new(|| {
        App::new()
            .route("/health", get().to(health))
            .route("/users/{id}", get().to(read_user))
            .route("/add", post().to(sum))
    });
    // Its own preset, unless told otherwise.
    let server = match idle {
        Some(seconds) => server.keep_alive(Duration::from_secs(seconds)),
        None => server,
    };
    let server = server.workers(1).backlog(2048).bind(("127.0.0.1", port))?;
    println!("listening on {}", server.addrs()[0].port());
    server.run().await
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (port, idle) = arguments()?;
    Ok(System::new().block_on(serve(port, idle))?)
}
