"""Copies files into and out of containers, and commits containers as images."""

import io
import tarfile

import gate
from engine import client


def archives():
    container = client.containers.run("busybox", ["sleep", "1000"], detach=True)
    print(container.put_archive("/tmp", archive_of("note", b"by docker-py\n")))
    print(*[gate.said(container, f"{shown} /tmp/note").output for shown in ("cat", "stat -c %a:%u:%g")])
    parts, stat = container.get_archive("/tmp/note")
    print(stat["name"], stat["size"], stat["linkTarget"])
    print(tarfile.open(fileobj=io.BytesIO(b"".join(parts))).extractfile("note").read())
    parts, stat = container.get_archive("/tmp", chunk_size=None, encode_stream=True)
    print(stat["name"], tarfile.open(fileobj=io.BytesIO(b"".join(parts))).getnames())
    container.stop(timeout=0)
    print(container.put_archive("/", archive_of("late", b"stopped\n")))
    print(tarfile.open(fileobj=io.BytesIO(b"".join(container.get_archive("/late")[0]))).extractfile("late").read())
    container.remove()


def commit():
    container = client.containers.run("busybox", ["sh", "-c", "echo kept > /kept"], detach=True)
    container.wait()
    image = container.commit("py/made", "1", message="why", author="docker-py", changes="CMD cat /kept", conf={"Labels": {"a": "b"}})
    print(image.tags, image.labels, image.attrs["Comment"], image.attrs["Author"])
    print(client.containers.run("py/made:1", remove=True))
    container.remove()
    client.images.remove("py/made:1")


def archive_of(name, text):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as packing:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.uid, entry.gid = len(text), 0o640, 7, 8
        packing.addfile(entry, io.BytesIO(text))
    return archive.getvalue()
