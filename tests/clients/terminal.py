"""Runs a command on a pseudo-terminal: terminal.py STEPS COMMAND…

STEPS is a JSON list of pairs: [text to wait for, action]. An action is a text to type, or [rows, columns] to resize the
terminal. After a resize, the script repeats the signal SIGWINCH until the next text that it waits for has appeared. A
docker client that is still sending its first size would lose a single signal. The terminal's output goes to standard
output. The exit code is the command's, or 128 plus the number of the signal that ended it.
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
