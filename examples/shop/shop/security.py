"""Basic authentication for the admin's routes."""

import secrets
from typing import Annotated

from fastapi import Depends, HTTPException, status
from fastapi.security import HTTPBasic, HTTPBasicCredentials

from .settings import settings

_basic = HTTPBasic(realm="shop", description="The shop's admin")


async def admin(credentials: Annotated[HTTPBasicCredentials, Depends(_basic)]) -> str:
    """Lets the admin in and nobody else."""
    # Both are compared, in constant time, whatever the first says: the time it takes tells nothing.
    user = _same(credentials.username, settings.admin_user)
    password = _same(credentials.password, settings.admin_password)
    if not (user and password):
        raise HTTPException(
            status.HTTP_401_UNAUTHORIZED,
            "Wrong user name or password",
            {"WWW-Authenticate": 'Basic realm="shop"'},
        )
    return credentials.username


def _same(given: str, right: str) -> bool:
    return secrets.compare_digest(given.encode(), right.encode())


Admin = Depends(admin)
"""For ``dependencies=[Admin]`` on a route or a router."""
