"""A FastAPI application with another one below it."""

from fastapi import FastAPI

app = FastAPI()
app.mount("/sub", FastAPI())
