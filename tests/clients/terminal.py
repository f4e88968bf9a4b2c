"""Runs a command on a pseudo-terminal: terminal.py STEPS COMMAND…

STEPS is a JSON list of [text to wait for, text to send]; instead of a text, [rows, columns] gives the terminal that
size, and tells the command so until the next text that is waited for has come: a docker client that is still telling
its first size loses the signal. What the terminal showed goes to standard output; the exit code is the command's.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time



def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    resize(0, 33, 101)
    os.execvp(sys.argv[2], sys.argv[2:])

shown = b""
seen = 0
resized = False
deadline = time.time() + 90
while time.time() < deadline:
    if steps and steps[0][0].encode() in shown[seen:]:
        seen = len(shown)
        awaited, what = steps.pop(0)
        if isinstance(what, str):
            resized = resized and awaited == ""
            os.write(terminal, what.encode())
        else:
            resized = True
            resize(terminal, *what)
    ready, _, _ = select.select([terminal], [], [], 0.2)
    if not ready:
        if resized:
            os.kill(pid, signal.SIGWINCH)
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
