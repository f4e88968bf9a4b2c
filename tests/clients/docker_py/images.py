"""Images from registries, archives and Dockerfiles."""

import io
import json
import tarfile

import docker

from engine import client


def pull(name):
    image = client.images.pull(name)
    print(image.tags)
    print(client.containers.run(name, remove=True).decode(), end="")
    image.tag("py/tagged", "1")
    print(sorted(client.images.get(name).tags))
    client.images.remove("py/tagged:1")
    try:
        client.images.get("py/tagged:1")
    except docker.errors.ImageNotFound:
        print("gone")
    data = client.images.get_registry_data(name)
    print(data.id.split(":")[0], data.has_platform("linux/s390x"), len(data.attrs["Platforms"]))
    statuses = [step["status"] for step in client.api.pull(name, stream=True, decode=True)]
    print(statuses[-1].split(":")[0])
    client.images.remove(name)


def login(name, registry, username, password):
    try:
        client.images.pull(name)
    except docker.errors.APIError as error:
        print(error.response.status_code, "no basic auth credentials" in str(error))
    try:
        client.login(username, "wrong", registry=registry)
    except docker.errors.APIError as error:
        print(error.response.status_code)
    print(client.images.pull(name, auth_config={"username": username, "password": password}).tags == [name])
    client.images.remove(name)
    print(client.login(username, password, registry=registry)["Status"])
    print(client.images.pull(name).tags == [name], name in [tag for one in client.images.list() for tag in one.tags])
    client.images.remove(name)


def load(path):
    with open(path, "rb") as archive:
        print([image.tags for image in client.images.load(archive)])
    client.images.remove("py/loaded:1")


def build():
    dockerfile = io.BytesIO(b"FROM busybox\nARG A\nRUN echo $A > /a\nCMD cat /a\n")
    image, _lines = client.images.build(fileobj=dockerfile, tag="py/built:1", buildargs={"A": "given"}, rm=True)
    print(image.tags)
    print(client.containers.run("py/built:1", remove=True).decode(), end="")
    client.images.remove("py/built:1")
    try:
        client.images.build(fileobj=io.BytesIO(b"FROM busybox\nRUN exit 3\n"), forcerm=True)
    except docker.errors.BuildError as error:
        print(error.msg)


def history():
    image, _lines = client.images.build(fileobj=io.BytesIO(b"FROM busybox\nLABEL of=py\nCMD [\"true\"]\n"), tag="py/old:1", rm=True)
    steps = image.history()
    print([step["CreatedBy"].split("(nop) ")[-1].strip() for step in steps[:2]])
    print(steps[0]["Tags"], steps[0]["Id"] == image.id, steps[1]["Size"])
    client.images.remove("py/old:1")


def imported():
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        told = tarfile.TarInfo("told")
        told.size = 5
        tar.addfile(told, io.BytesIO(b"told\n"))
    status = json.loads(client.api.import_image_from_data(archive.getvalue(), repository="py/imported", tag="1"))["status"]
    image = client.images.get("py/imported:1")
    print(status == image.id, image.attrs["Architecture"] != "", len(image.attrs["RootFS"]["Layers"]))
    client.images.remove("py/imported:1")


def push(name):
    image = client.images.get("busybox")
    image.tag(name)
    lines = [json.loads(line) for line in client.images.push(name).splitlines()]
    repository, _, tag = name.rpartition(":")
    print(lines[0]["status"] == f"The push refers to repository [{repository}]", lines[-1]["aux"]["Tag"] == tag)
    digest = lines[-1]["aux"]["Digest"]
    print(f"{repository}@{digest}" in client.images.get(name).attrs["RepoDigests"])
    print(client.images.get_registry_data(name).id == digest)
    for line in client.images.push(f"{repository}", tag="none", stream=True, decode=True):
        if "error" in line:
            print("does not exist" in line["error"])
    client.images.remove(name)


def search(index):
    found = client.images.search(f"{index}/app")
    print([(one["name"], one["star_count"], one["is_official"]) for one in found])
    print(len(client.images.search(f"{index}/team/app", limit=3)))
    try:
        client.images.search(f"{index}/missing")
    except docker.errors.APIError as error:
        print(error.response.status_code)
