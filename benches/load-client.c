// Repeats one request as fast as it can: load-client SOCKET TARGET REQUESTS CONNECTIONS [STATUS BODY]. With a body, it
// posts this JSON, and expects this status instead of 200. Each connection has one request in progress at a time. Prints
// how many milliseconds all requests took. Written in C to use little processor time, because the measured server shares
// the machine.
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MAX 16
#define ANSWER_MAX (4 << 20)

struct connection {
  int fd;
  size_t length;
  char answer[ANSWER_MAX + 1];
};

static struct connection connections[CONNECTIONS_MAX];
static char request[8192];
static size_t request_length;
static const char *status = "200";

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static int open_connection(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) { fprintf(stderr, "path too long\n"); exit(1); }
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail(path);
  return fd;
}

static void ask(struct connection *connection) {
  connection->length = 0;
  if (write(connection->fd, request, request_length) != (ssize_t)request_length) fail("write");
}

// RFC 9112, 6.3: by its length, or chunked. A body that contains line ends could be mistaken for the last chunk.
static int is_whole(struct connection *connection) {
  connection->answer[connection->length] = 0;
  char *end = strstr(connection->answer, "\r\n\r\n");
  if (end == NULL) return 0;
  *end = 0;
  char *length = strcasestr(connection->answer, "\r\ncontent-length: ");
  *end = '\r';
  if (length != NULL)
    return connection->length == (size_t)(end + 4 - connection->answer) + strtoul(length + 18, NULL, 10);
  return memcmp(connection->answer + connection->length - 7, "\r\n0\r\n\r\n", 7) == 0;
}

// Reads what has arrived; returns 1 when the answer is complete.
static int take(struct connection *connection) {
  ssize_t count = read(connection->fd, connection->answer + connection->length, ANSWER_MAX - connection->length);
  if (count <= 0) fail("read");
  connection->length += (size_t)count;
  if (!is_whole(connection)) return 0;
  if (strncmp(connection->answer, "HTTP/1.1 ", 9) == 0 && strncmp(connection->answer + 9, status, 3) == 0) return 1;
  fprintf(stderr, "%s\n", connection->answer);
  exit(1);
}

int main(int count, char **arguments) {
  if (count != 5 && count != 7) return 2;
  long requests = atol(arguments[3]);
  int open = atoi(arguments[4]);
  if (open < 1 || open > CONNECTIONS_MAX || requests < open) return 2;
  const char *body = count == 7 ? arguments[6] : NULL;
  if (body == NULL)
    request_length =
        (size_t)snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: docker\r\n\r\n", arguments[2]);
  else {
    status = arguments[5];
    request_length = (size_t)snprintf(request, sizeof request,
                                      "POST %s HTTP/1.1\r\nHost: docker\r\nContent-Type: application/json\r\n"
                                      "Content-Length: %zu\r\n\r\n%s",
                                      arguments[2], strlen(body), body);
  }
  if (request_length >= sizeof request) return 2;
  struct pollfd polled[CONNECTIONS_MAX];
  for (int i = 0; i < open; i++) {
    connections[i].fd = open_connection(arguments[1]);
    polled[i] = (struct pollfd){.fd = connections[i].fd, .events = POLLIN};
  }
  double began = now_ms();
  long sent = 0, answered = 0;
  for (; sent < open; sent++) ask(&connections[sent]);
  while (answered < requests) {
    // A single connection just waits in read(2).
    if (open > 1 && poll(polled, (nfds_t)open, -1) < 0) fail("poll");
    for (int i = 0; i < open; i++) {
      if (open > 1 && !(polled[i].revents & POLLIN)) continue;
      if (!take(&connections[i])) continue;
      answered++;
      if (sent < requests) { ask(&connections[i]); sent++; }
    }
  }
  printf("%f\n", now_ms() - began);
  return 0;
}
