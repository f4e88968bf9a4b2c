// Dockerfiles whose steps mount something.

import { SENTENCES } from "./differences.js";
import { placed, refused, type KitRecipe } from "./recipe.js";

/** The secret that clients of these tests have, under the id `s`. */
export const SECRET = "known to its step alone";

const CACHE = "RUN --mount=type=cache,target=/c";

export const MOUNTS: readonly (string | KitRecipe)[] = [
  // Binds.
  "RUN --mount=target=/c cp /c/a.txt /x && find /c | sort > /all",
  "RUN --mount=type=bind,source=d,target=/m find /m | sort > /x; stat -c '%a %u %g' /m /m/f >> /x",
  placed("RUN --mount=type=bind,source=a.txt,target=/m/n cat /m/n > /x; stat -c '%a %u %g %F' /m /m/n >> /x", "m"),
  "RUN --mount=target=/c,rw echo new > /c/new && echo more >> /c/a.txt && cat /c/new /c/a.txt > /x",
  "RUN --mount=target=/c,readwrite=true rm /c/a.txt && ls /c > /x\nRUN --mount=target=/c ls /c > /y; true",
  "FROM busybox AS one\nRUN mkdir /o && echo one > /o/f\nFROM busybox\nRUN --mount=from=one,target=/o cat /o/o/f > /x\n" +
    "RUN --mount=from=one,source=/o,target=/p cp /p/f /y\nRUN --mount=from=one,source=o/f,target=/q cat /q > /z",
  "FROM busybox AS one\nRUN echo one > /f\nFROM busybox\nRUN --mount=from=one,target=/o,rw rm /o/f && echo x > /o/n && ls /o > /x\n" +
    "RUN --mount=from=one,target=/o ls /o > /y",
  "RUN --mount=from=busybox,source=/etc,target=/e cp /e/passwd /x",
  "RUN mkdir /m && echo old > /m/old\nRUN --mount=source=d,target=/m ls /m > /x\nRUN ls /m > /y",
  "RUN --mount=source=d,target=/m --mount=source=empty,target=/n ls /m /n > /x",
  "RUN --mount=source=d,target=/m --mount=type=tmpfs,target=/m/sub ls -a /m/sub > /x",
  placed("WORKDIR /w\nRUN --mount=source=a.txt,target=in/here cat in/here > out", "w/in"),
  "RUN --mount=source=to-a,target=/m cat /m > /x\nRUN --mount=source=to-d,target=/n ls /n > /y",
  'RUN --mount=source=a.txt,dst=/m ["cp", "/m", "/x"]',
  'SHELL ["/bin/sh", "-ec"]\nUSER 7\nRUN --mount=target=/c cat /c/a.txt > /tmp/x; id -u >> /tmp/x',
  "FROM busybox AS base\nONBUILD RUN --mount=target=/c cp /c/a.txt /x\nFROM base",
  "ARG D=d\nFROM busybox\nARG D\nRUN --mount=source=d,target=/m echo $D > /x; ls /m >> /x",
  placed("RUN --mount=source=a.txt,target=/n/o/p --mount=type=tmpfs,target=/n/q/r true", "n", "n/o", "n/q"),
  // Caches.
  placed("RUN --mount=type=cache,target=/n/o/c true", "n", "n/o"),
  `${CACHE} echo one >> /c/f\n${CACHE} cat /c/f > /x\nRUN ls /c/f || echo none > /y`,
  "RUN --mount=type=cache,id=k,target=/c echo one > /c/f\nRUN --mount=type=cache,id=k,target=/d cat /d/f > /x",
  "RUN --mount=type=cache,target=/e1,uid=5,gid=6,mode=0711 stat -c '%a %u %g' /e1 > /x",
  "RUN --mount=type=cache,target=/e2 stat -c '%a %u %g' /e2 > /x",
  "FROM busybox AS seed\nRUN mkdir /s && echo seed > /s/f && chmod 600 /s/f\nFROM busybox\n" +
    "RUN --mount=type=cache,target=/e3,from=seed,source=/s cat /e3/f > /x; stat -c %a /e3/f >> /x; echo n > /e3/n\n" +
    "RUN --mount=type=cache,target=/e3,from=seed,source=/s ls /e3 > /y",
  "RUN --mount=type=cache,target=/e4,sharing=private echo p > /e4/f; ls /e4 > /x",
  "RUN --mount=type=cache,target=/e5,sharing=locked echo l >> /e5/f\n" +
    "RUN --mount=type=cache,target=/e5,sharing=locked cat /e5/f > /x",
  "RUN --mount=type=cache,target=/e6 echo k > /e6/f\nRUN --mount=type=cache,target=/e6,readonly cat /e6/f > /x; " +
    "touch /e6/g 2> /dev/null || echo read-only >> /x",
  "RUN mkdir /root/.cache\nRUN --mount=type=cache,target=/root/.cache/deep mkdir -p /root/.cache/other && echo o > /root/.cache/other/f",
  // File systems in memory, and secrets.
  "RUN --mount=type=tmpfs,target=/t echo t > /t/f && cat /t/f > /x && stat -c '%a %u' /t >> /x\nRUN ls -A /t || true",
  placed(
    "RUN --mount=type=secret,id=s wc -c < /run/secrets/s > /x; stat -c '%a %u %g' /run/secrets/s >> /x",
    ...["run", "run/secrets"],
  ),
  "RUN --mount=type=secret,id=s,target=/etc/s,mode=0444,uid=5,gid=6 stat -c '%a %u %g' /etc/s > /x\nRUN ls /etc/s > /y; true",
  "WORKDIR /w\nRUN --mount=type=secret,id=s,dst=rel test -s rel && echo there > x",
  "RUN --mount=type=secret,id=none ls /run/secrets > /x 2>&1; echo $? > /y",
  // Refused.
  "RUN --mount=target=/c touch /c/x",
  refused(
    "RUN --mount=source=none,target=/c true",
    'RUN failed: file not found in build context or excluded by .dockerignore: "none" does not exist',
    SENTENCES,
  ),
  refused(
    "RUN --mount=from=localhost:1/none,target=/c true",
    'Get "http://localhost:1/v2/": dial tcp localhost:1: connect: connection refused',
    SENTENCES,
  ),
  refused("RUN --mount=type=what,target=/c true", 'unsupported mount type "what"', SENTENCES),
  refused("RUN --mount=type=secret,id=none,required true", "RUN failed: secret none: not found", SENTENCES),
  refused("RUN --mount=type=cache true", "mount target not specified", SENTENCES),
];
