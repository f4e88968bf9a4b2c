"""One docker-py story a function: docker_py.py STORY [ARGUMENT…]; what it prints is what the test expects."""

import sys

import docker

client = docker.from_env(timeout=30)


def run():
    print(client.containers.run("busybox", ["echo", "hello from docker-py"], remove=True).decode(), end="")


def run_failing():
    try:
        client.containers.run("busybox", ["sh", "-c", "echo why >&2; exit 4"], remove=True)
    except docker.errors.ContainerError as error:
        print(error.exit_status, error.stderr.decode(), end="")


def run_missing():
    try:
        client.containers.run("busybox", ["nothing-here"], remove=True)
    except docker.errors.APIError as error:
        print(error.status_code, "executable file not found" in str(error))


def detached():
    container = client.containers.run("busybox", ["sh", "-c", "echo one; sleep 0.3; echo two"], name="py", detach=True)
    print(container.name, container.status, [c.name for c in client.containers.list(all=True, filters={"name": "py"})])
    for line in container.logs(stream=True, follow=True):
        print(line.decode(), end="")
    print(container.wait()["StatusCode"])
    container.reload()
    print(container.status)
    container.remove()
    try:
        client.containers.get("py")
    except docker.errors.NotFound:
        print("gone")


def life():
    container = client.containers.create("busybox", ["sleep", "1000"], name="life", labels={"of": "py"})
    container.start()
    container.reload()
    print(container.status, container.labels)
    print([c.name for c in client.containers.list(filters={"label": "of=py"})])
    container.stop(timeout=0)
    container.reload()
    print(container.status, container.attrs["State"]["ExitCode"])
    container.remove(force=True)


def exec_run():
    container = client.containers.run("busybox", ["sleep", "1000"], detach=True)
    print(container.exec_run(["sh", "-c", "echo $A; pwd; exit 3"], environment={"A": "said"}, workdir="/tmp"))
    print(container.exec_run("sh -c 'echo out; echo err >&2'", demux=True).output)
    print([part.decode() for part in container.exec_run("echo streamed", stream=True).output])
    print(container.exec_run("test -t 1", tty=True).exit_code, container.exec_run("id -u", user="7").output.decode(), end="")
    print(container.exec_run("sleep 5", detach=True).exit_code)
    container.remove(force=True)


def attach():
    container = client.containers.create("busybox", ["cat"], stdin_open=True)
    socket = container.attach_socket(params={"stdin": 1, "stdout": 1, "stream": 1})
    container.start()
    socket._sock.sendall(b"through a socket\n")
    print(socket.read(8)[0], socket.read(17).decode(), end="")
    socket.close()
    container.remove(force=True)


def images():
    name = sys.argv[2]
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


def events():
    stream = client.events(decode=True, filters={"container": "heard"})
    container = client.containers.run("busybox", ["true"], name="heard", detach=True)
    container.wait()
    container.remove()
    for event in stream:
        print(event["Action"])
        if event["Action"] == "destroy":
            stream.close()
            break


def system():
    print(client.ping(), client.version()["Os"], client.info()["OSType"])


globals()[sys.argv[1]]()
