"""Containers from their creation to their removal."""

import concurrent.futures

import docker
import requests

from engine import client


def run():
    print(client.containers.run("busybox", ["echo", "hello from docker-py"], remove=True).decode(), end="")
    script = "echo one; echo two >&2"
    print(client.containers.run("busybox", ["sh", "-c", script], stdout=False, stderr=True, remove=True))
    print(list(client.containers.run("busybox", ["sh", "-c", "echo one; echo two"], stream=True, remove=True)))
    print(client.containers.run("busybox", ["tty"], tty=True, remove=True))


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
    print(container.status, container.labels, container.image.tags)
    print([c.name for c in client.containers.list(filters={"label": "of=py"})])
    for change in (container.pause, container.unpause, lambda: container.restart(timeout=0)):
        change()
        container.reload()
        print(container.status)
    container.rename("renamed")
    container.stop(timeout=0)
    container.reload()
    print(container.name, container.status, container.attrs["State"]["ExitCode"])
    container.remove(v=True, force=True)


def waits():
    container = client.containers.run("busybox", ["sleep", "1000"], detach=True, stop_signal="SIGKILL")
    try:
        container.wait(timeout=0.2)
    except requests.exceptions.ConnectionError as error:
        print("timed out", "Read timed out" in str(error))
    container.kill(signal="SIGINT")
    container.kill(signal=9)
    print(container.wait(condition="not-running")["StatusCode"])
    try:
        container.kill()
    except docker.errors.APIError as error:
        print(error.response.status_code, "is not running" in error.explanation)
    print(client.containers.prune(filters={"label": "of=nobody"})["SpaceReclaimed"])
    pruned = client.containers.prune()
    print(container.id in pruned["ContainersDeleted"])


def options():
    shown = "echo $A; hostname; id -u; id -g; pwd; ulimit -n; grep -c '^tmpfs /scratch' /proc/mounts; cat /etc/resolv.conf"
    printed = client.containers.run(
        "busybox",
        [f"{shown}; grep elsewhere /etc/hosts"],
        cap_drop=["ALL"],
        dns=["10.1.1.1"],
        entrypoint=["sh", "-c"],
        environment={"A": "1"},
        extra_hosts={"elsewhere": "10.11.12.13"},
        hostname="inside",
        init=True,
        labels=["bare"],
        mem_limit="64m",
        nano_cpus=500_000_000,
        pids_limit=50,
        remove=True,
        security_opt=["no-new-privileges"],
        shm_size="1m",
        sysctls={"net.ipv4.ip_forward": "1"},
        tmpfs={"/scratch": "size=1m"},
        ulimits=[docker.types.Ulimit(name="nofile", soft=66, hard=77)],
        user="12:34",
        working_dir="/tmp",
    )
    print(printed.decode(), end="")


def machinery():
    check = {"test": ["CMD", "true"], "interval": 100_000_000}
    container = client.containers.run(
        "busybox",
        ["sleep", "1000"],
        detach=True,
        healthcheck=check,
        log_config=docker.types.LogConfig(type="json-file", config={"max-size": "1m"}),
        mounts=[docker.types.Mount("/data", "py-data")],
        ports={"80/tcp": None, "81/udp": ("127.0.0.1", None)},
        restart_policy={"Name": "on-failure", "MaximumRetryCount": 2},
    )
    container.reload()
    print(sorted(container.ports), container.ports["81/udp"][0]["HostIp"])
    print(client.api.port(container.id, 80)[0]["HostPort"] == container.ports["80/tcp"][0]["HostPort"])
    updated = container.update(mem_limit="64m", memswap_limit="128m", restart_policy={"Name": "no"})
    container.reload()
    host_config = container.attrs["HostConfig"]
    print(updated["Warnings"], host_config["Memory"], host_config["RestartPolicy"]["Name"])
    while container.attrs["State"]["Health"]["Status"] != "healthy":
        container.reload()
    print([(m["Name"], m["Destination"]) for m in container.attrs["Mounts"]], client.volumes.get("py-data").name)
    container.remove(force=True)


def removed_by_itself():
    container = client.containers.create("busybox", ["sh", "-c", "exit 3"], auto_remove=True)
    # dockerd 20.10 never answers a wait request that arrives while the container is being removed. So the request is
    # sent before the container starts.
    with concurrent.futures.ThreadPoolExecutor() as beside:
        removed = beside.submit(container.wait, condition="removed")
        container.start()
        print(removed.result()["StatusCode"])
    try:
        container.reload()
    except docker.errors.NotFound:
        print("gone")
