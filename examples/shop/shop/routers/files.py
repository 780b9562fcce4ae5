"""Files: the admin uploads one, anyone may download it."""

import hashlib
import pathlib
import secrets
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, UploadFile, status
from fastapi.responses import FileResponse

from ..db import Connection, Transaction
from ..models import StoredFile
from ..security import Admin
from ..settings import settings

router = APIRouter(prefix="/files", tags=["files"])

FileId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    dependencies=[Admin],
    max_body_size=settings.max_upload,
)
def upload(connection: Transaction, file: UploadFile) -> StoredFile:
    """Stores a file. One that is too large is refused while it comes in, with a 413."""
    settings.uploads.mkdir(parents=True, exist_ok=True)
    file_id = secrets.token_hex(16)
    path = settings.uploads / file_id  # never the client's name
    try:
        stored = StoredFile(
            id=file_id,
            name=file.filename or "file",
            media_type=file.content_type or "application/octet-stream",
            size=file.size or 0,
            sha256=_store(file, path),
        )
        connection.execute(
            "INSERT INTO files VALUES (:id, :name, :media_type, :size, :sha256)",
            stored.model_dump(),
        )
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return stored


@router.get("/{file_id}", response_class=FileResponse)
def download(connection: Connection, file_id: FileId) -> FileResponse:
    """A file, whole or (with a Range header) in part."""
    stored = _find(connection, file_id)
    return FileResponse(
        settings.uploads / stored.id,
        media_type=stored.media_type,
        filename=stored.name,  # as an attachment: it is never shown as a page of ours
        headers={"X-Content-Type-Options": "nosniff"},
    )


@router.delete("/{file_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=[Admin])
def delete(connection: Transaction, file_id: FileId) -> None:
    """Deletes a file."""
    _find(connection, file_id)
    connection.execute("DELETE FROM files WHERE id = ?", [file_id])
    (settings.uploads / file_id).unlink(missing_ok=True)


def _find(connection: Connection, file_id: str) -> StoredFile:
    row = connection.execute("SELECT * FROM files WHERE id = ?", [file_id]).fetchone()
    if row is None:
        raise HTTPException(status.HTTP_404_NOT_FOUND, f"There is no file {file_id}")
    return StoredFile(**dict(row))


def _store(file: UploadFile, path: pathlib.Path) -> str:
    """Copies an upload to its place; returns its digest."""
    digest = hashlib.sha256()
    with path.open("xb") as target:
        while block := file.file.read(64 * 1024):
            digest.update(block)
            target.write(block)
    return digest.hexdigest()
