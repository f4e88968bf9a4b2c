"""Runs more processes in a container (exec), and attaches to containers."""

import gate
from engine import client


def exec_run():
    container = client.containers.run("busybox", ["sleep", "1000"], detach=True)
    print(gate.said(container, "echo $A; pwd; exit 3", environment={"A": "said"}, workdir="/tmp"))
    both = "echo out; echo err >&2"
    print(gate.said(container, both, demux=True).output, gate.said(container, both, stderr=False).output)
    print(streamed(container))
    print(streamed(container, demux=True))
    print(container.exec_run("test -t 1", tty=True).exit_code, container.exec_run("test -t 1").exit_code)
    print(gate.said(container, "id -u", user="7").output)
    print(container.exec_run("sleep 5", detach=True).exit_code)
    container.remove(force=True)


def streamed(container, **options):
    """Returns the output of an exec that writes to stderr only after the client has read its stdout. If both were
    written at once, their order would be undefined."""
    script = f"{gate.FIRST}; echo out; {gate.SECOND}; echo err >&2"
    with gate.at_answers(container):
        stream = container.exec_run(["sh", "-c", script], stream=True, **options).output
        first = next(stream)
        gate.go_on(container, name="second")
        return [first, *stream]


def exec_socket():
    container = client.containers.run("busybox", ["sleep", "1000"], detach=True)
    socket = container.exec_run("head -n 1", stdin=True, socket=True).output
    socket._sock.sendall(b"typed\n")
    print(read_all(socket)[8:])
    created = client.api.exec_create(container.id, ["sh"], stdin=True, tty=True)
    print(client.api.exec_inspect(created)["Running"])
    terminal = client.api.exec_start(created, tty=True, socket=True)
    client.api.exec_resize(created, height=31, width=97)
    terminal._sock.sendall(b"stty size; exit 4\n")
    print(b"31 97\r\n" in read_all(terminal))
    ended = client.api.exec_inspect(created)
    print(ended["Running"], ended["ExitCode"], ended["ProcessConfig"]["tty"])
    container.remove(force=True)


def attach():
    container = client.containers.create("busybox", ["cat"], stdin_open=True)
    socket = container.attach_socket(params={"stdin": 1, "stdout": 1, "stream": 1})
    container.start()
    socket._sock.sendall(b"through a socket\n")
    print(socket.read(8)[0], socket.read(17).decode(), end="")
    socket.close()
    container.remove(force=True)


def attached():
    script = f"echo out; {gate.FIRST}; echo err >&2; read line"
    container = client.containers.create("busybox", ["sh", "-c", script], stdin_open=True)
    stream = container.attach(stream=True, logs=True, demux=True)
    container.start()
    first = next(stream)
    gate.go_on(container, name="first")
    print(first, next(stream))
    container.remove(force=True)


def terminal():
    container = client.containers.create("busybox", ["sh"], stdin_open=True, tty=True)
    socket = container.attach_socket(params={"stdin": 1, "stdout": 1, "stream": 1})
    container.start()
    container.resize(height=31, width=97)
    socket._sock.sendall(b"stty size; exit 4\n")
    print(b"31 97\r\n" in read_all(socket), container.wait()["StatusCode"])
    container.remove()


def read_all(socket):
    """Reads until the engine closes the connection's stream."""
    text = b""
    while part := socket._sock.recv(4096):
        text += part
    socket.close()
    return text
