"""Runs a command on a pseudo-terminal: terminal.py STEPS COMMAND…

STEPS is a JSON list of [text to wait for, text to send]; instead of a text, [rows, columns] gives the terminal that
size. What the terminal showed goes to standard output; the exit
code is the command's.
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))



def act(what):
    if isinstance(what, str):
        os.write(terminal, what.encode())
    else:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", what[0], what[1], 0, 0))


shown = b""
seen = 0
deadline = time.time() + 40
while time.time() < deadline:
    if steps and steps[0][0].encode() in shown[seen:]:
        seen = len(shown)
        act(steps.pop(0)[1])
    ready, _, _ = select.select([terminal], [], [], 0.2)
    if not ready:
        continue
    try:
        data = os.read(terminal, 65536)
    except OSError:
        data = b""
    if not data:
        break
    shown += data
else:
    os.kill(pid, 9)

sys.stdout.buffer.write(shown)
sys.stdout.flush()
_, status = os.waitpid(pid, 0)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
