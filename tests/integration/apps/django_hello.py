"""The hello application in Django, in one file: ASGI without a lifespan."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator

from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    DATA_UPLOAD_MAX_MEMORY_SIZE=None,
    DEBUG=False,
    ROOT_URLCONF=__name__,
    SECRET_KEY="only for tests",
    USE_TZ=True,
)

from content import pattern  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse  # noqa: E402
from django.http.response import HttpResponseBase  # noqa: E402
from django.urls import path  # noqa: E402

done: dict[str, asyncio.Event] = {}
tasks: set[asyncio.Task[None]] = set()
BINARY = "application/octet-stream"


def hello(request: HttpRequest) -> HttpResponse:
    # A plain view: Django runs it in a thread.
    return HttpResponse("Hello, wörld", content_type="text/plain; charset=utf-8")


async def json_view(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return JsonResponse(json.loads(request.body), safe=False)
    return JsonResponse({"hello": "wörld"})


async def item(request: HttpRequest, name: str) -> HttpResponse:
    return JsonResponse({"name": name, "q": request.GET.getlist("q")})


async def form(request: HttpRequest) -> HttpResponse:
    return JsonResponse(request.POST.dict())


async def upload(request: HttpRequest) -> HttpResponse:
    file = request.FILES["file"]
    content = file.read()
    return JsonResponse(
        {
            "note": request.POST["note"],
            "name": file.name,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    )


async def stream(request: HttpRequest) -> HttpResponseBase:
    async def pieces() -> AsyncIterator[bytes]:
        for at in range(20):
            yield pattern(1000, at * 1000)
            await asyncio.sleep(0)

    return StreamingHttpResponse(pieces(), content_type=BINARY)


async def mirror(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.body, content_type=BINARY)


async def large(request: HttpRequest) -> HttpResponse:
    return HttpResponse(pattern(8_000_000), content_type=BINARY)


async def set_cookies(request: HttpRequest) -> HttpResponse:
    response = HttpResponse("ok")
    response.set_cookie("one", "1", httponly=True)
    response.set_cookie("two", "zwei")
    return response


async def cookies(request: HttpRequest) -> HttpResponse:
    return JsonResponse(request.COOKIES)


async def boom(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("boom, as the test wants")


async def background(request: HttpRequest, key: str) -> HttpResponse:
    if request.method == "GET":
        await done[key].wait()
        return HttpResponse("done")
    event = done[key] = asyncio.Event()
    task = asyncio.create_task(finish_later(event))
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return HttpResponse("started")


async def finish_later(event: asyncio.Event) -> None:
    await asyncio.sleep(0.01)
    event.set()


urlpatterns = [
    path("text", hello),
    path("json", json_view),
    path("items/<name>", item),
    path("form", form),
    path("upload", upload),
    path("stream", stream),
    path("mirror", mirror),
    path("large", large),
    path("set-cookies", set_cookies),
    path("cookies", cookies),
    path("boom", boom),
    path("background/<key>", background),
]
app = get_asgi_application()
