"""Packets of SCTP (RFC 9260) by raw sockets, so that the kernel needs no SCTP of its own.

sctp.py serve PORT        answers each INIT to this port with an INIT ACK, and prints who has sent it
sctp.py ask ADDRESS PORT  sends an INIT until it is answered, for a few seconds at most; prints who has answered

Both ignore packets with a wrong checksum.
"""

import ipaddress
import select
import socket
import struct
import sys
import time

SCTP = 132
INIT, INIT_ACK = 1, 2
OWN_PORT = 40132
OWN_TAG = 0x11223344
MOST_SECONDS = 3


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def packet(source, target, tag, kind):
    chunk = struct.pack("!BBHIIHHI", kind, 0, 20, OWN_TAG, 65535, 1, 1, 1)
    head = struct.pack("!HHI", source, target, tag)
    checksum = struct.pack("<I", crc32c(head + bytes(4) + chunk))
    return head + checksum + chunk


def opened(address):
    family = socket.AF_INET6 if ipaddress.ip_address(address).version == 6 else socket.AF_INET
    return socket.socket(family, socket.SOCK_RAW, SCTP)


def received(sock):
    """Who has sent the next packet, its ports, its kind and the sender's tag; or None if it is not whole."""
    data, sender = sock.recvfrom(2000)
    if sock.family == socket.AF_INET:
        data = data[(data[0] & 15) * 4 :]
    if len(data) < 20 or data[8:12] != struct.pack("<I", crc32c(data[:8] + bytes(4) + data[12:])):
        return None
    source, target = struct.unpack("!HH", data[:4])
    return sender[0], source, target, data[12], struct.unpack("!I", data[16:20])[0]


def serve(port):
    sockets = [opened("0.0.0.0"), opened("::")]
    print("ready", flush=True)
    while True:
        for sock in select.select(sockets, [], [])[0]:
            found = received(sock)
            if found is None:
                continue
            sender, source, target, kind, tag = found
            if target == port and kind == INIT:
                sock.sendto(packet(port, source, tag, INIT_ACK), (sender, 0))
                print(sender, flush=True)


def ask(address, port):
    sock = opened(address)
    until = time.monotonic() + MOST_SECONDS
    while time.monotonic() < until:
        sock.sendto(packet(OWN_PORT, port, 0, INIT), (address, 0))
        while select.select([sock], [], [], 0.2)[0]:
            found = received(sock)
            if found is not None and found[:4] == (address, port, OWN_PORT, INIT_ACK):
                print(f"{address} {port}")
                return
    sys.exit("no answer")


if sys.argv[1] == "serve":
    serve(int(sys.argv[2]))
else:
    ask(sys.argv[2], int(sys.argv[3]))
