// Traffic for the benches of networks, IPv4 or IPv6, after the address. Written in C to use little processor time, because
// what is measured shares the machine.
//   traffic-client lookups SERVER NAME COUNT CLIENTS   answers' times in µs, one a line, then all their ms together
//   traffic-client resolver ADDRESS                    answers every question with 192.0.2.1 or 2001:db8::1, until killed
//   traffic-client sink ADDRESS PORT                   greets each connection with a byte, drops what it sends, until killed
//   traffic-client send ADDRESS PORT MS                bytes per ms that one connection sends
//   traffic-client connect ADDRESS PORT COUNT          the ms of connections up to the greeting, one after the other
//   traffic-client echo ADDRESS PORT                   sends datagrams back, until killed
//   traffic-client trips ADDRESS PORT COUNT            the µs of a datagram's way there and back, on average
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS_MAX 64
#define CHUNK (256 << 10)

struct address {
  union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; } of;
  socklen_t length;
};

static char chunk[CHUNK];

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static struct address address_of(const char *text, int port) {
  struct address address = {0};
  if (strchr(text, ':') == NULL) {
    address.of.v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
    address.length = sizeof address.of.v4;
    if (inet_pton(AF_INET, text, &address.of.v4.sin_addr) != 1) fail(text);
  } else {
    address.of.v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
    address.length = sizeof address.of.v6;
    if (inet_pton(AF_INET6, text, &address.of.v6.sin6_addr) != 1) fail(text);
  }
  return address;
}

static int open_socket(const struct address *to, int type) {
  int fd = socket(to->of.any.sa_family, type | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  return fd;
}

static int connected(const struct address *to, int type) {
  int fd = open_socket(to, type);
  if (connect(fd, &to->of.any, to->length) < 0) fail("connect");
  return fd;
}

static int bound(const struct address *at, int type) {
  int fd = open_socket(at, type), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, &at->of.any, at->length) < 0) fail("bind");
  return fd;
}

// RFC 1035, 4.1: a head with one question, for the addresses of a name.
static size_t question(unsigned char *into, unsigned id, const char *name, int type) {
  unsigned char head[12] = {id >> 8, id & 255, 1, 0, 0, 1};
  memcpy(into, head, sizeof head);
  size_t at = sizeof head;
  while (*name != 0) {
    size_t length = strcspn(name, ".");
    into[at++] = (unsigned char)length;
    memcpy(into + at, name, length);
    at += length;
    name += length + (name[length] == '.');
  }
  unsigned char tail[5] = {0, 0, (unsigned char)type, 0, 1};
  memcpy(into + at, tail, sizeof tail);
  return at + sizeof tail;
}

struct asker {
  int fd;
  unsigned id;
  double asked;
};

static void ask(struct asker *asker, unsigned id, const char *name) {
  unsigned char message[512];
  asker->id = id & 65535;
  size_t length = question(message, asker->id, name, 1);
  asker->asked = now_ms();
  if (send(asker->fd, message, length, 0) < 0) fail("send");
}

static int take_answer(struct asker *asker) {
  unsigned char message[4096];
  ssize_t length = recv(asker->fd, message, sizeof message, 0);
  if (length < 12) fail("recv");
  if ((unsigned)(message[0] << 8 | message[1]) != asker->id) return 0;
  if ((message[3] & 15) != 0 || message[7] == 0) { fprintf(stderr, "no address in the answer\n"); exit(1); }
  printf("%f\n", (now_ms() - asker->asked) * 1e3);
  return 1;
}

static int lookups(const char *server, const char *name, long count, int clients) {
  if (clients < 1 || clients > CLIENTS_MAX || count < clients) return 2;
  struct address to = address_of(server, 53);
  struct asker askers[CLIENTS_MAX];
  struct pollfd polled[CLIENTS_MAX];
  double began = now_ms();
  long sent = 0, answered = 0;
  for (int i = 0; i < clients; i++) {
    askers[i].fd = connected(&to, SOCK_DGRAM);
    polled[i] = (struct pollfd){.fd = askers[i].fd, .events = POLLIN};
    ask(&askers[i], (unsigned)sent++, name);
  }
  while (answered < count) {
    if (poll(polled, (nfds_t)clients, 5000) <= 0) fail("no answer");
    for (int i = 0; i < clients; i++) {
      if (!(polled[i].revents & POLLIN) || !take_answer(&askers[i])) continue;
      answered++;
      if (sent < count) ask(&askers[i], (unsigned)sent++, name);
    }
  }
  printf("%f\n", now_ms() - began);
  return 0;
}

static _Noreturn void resolver(const char *at) {
  static const unsigned char v4[16] = {0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1};
  static const unsigned char v6[28] = {0xc0, 12, 0, 28, 0, 1, 0, 0, 0, 60, 0, 16, 0x20, 1, 0x0d, 0xb8, [27] = 1};
  struct address own = address_of(at, 53), from;
  int fd = bound(&own, SOCK_DGRAM);
  printf("listening\n");
  fflush(stdout);
  unsigned char message[1024];
  for (;;) {
    from.length = sizeof from.of;
    ssize_t length = recvfrom(fd, message, 512, 0, &from.of.any, &from.length);
    if (length < 17) continue;
    // What follows the question (EDNS) is dropped.
    size_t end = 12;
    while (end < (size_t)length && message[end] != 0) end += message[end] + 1u;
    end += 5;
    if (end > (size_t)length) continue;
    int is_v6 = message[end - 3] == 28;
    memcpy(message + end, is_v6 ? v6 : v4, is_v6 ? sizeof v6 : sizeof v4);
    message[2] |= 0x80;
    message[3] = 0x80;
    message[7] = 1;
    message[11] = 0;
    end += is_v6 ? sizeof v6 : sizeof v4;
    if (sendto(fd, message, end, 0, &from.of.any, from.length) < 0) perror("sendto");
  }
}

static _Noreturn void sink(const char *at, int port) {
  struct address own = address_of(at, port);
  int fd = bound(&own, SOCK_STREAM);
  if (listen(fd, 1024) < 0) fail("listen");
  printf("listening\n");
  fflush(stdout);
  for (;;) {
    int one = accept(fd, NULL, NULL);
    if (one < 0) fail("accept");
    if (write(one, "", 1) == 1) while (read(one, chunk, sizeof chunk) > 0) {}
    close(one);
  }
}

static int send_for(const char *to, int port, double ms) {
  struct address address = address_of(to, port);
  int fd = connected(&address, SOCK_STREAM);
  double began = now_ms(), sent = 0;
  while (now_ms() - began < ms) {
    ssize_t count = write(fd, chunk, sizeof chunk);
    if (count < 0) fail("write");
    sent += (double)count;
  }
  printf("%f\n", sent / (now_ms() - began));
  return 0;
}

static int connect_often(const char *to, int port, long count) {
  struct address address = address_of(to, port);
  double began = now_ms();
  // Without TIME_WAIT, so that a run does not use up the ports of the next.
  struct linger none = {.l_onoff = 1, .l_linger = 0};
  for (long i = 0; i < count; i++) {
    int fd = connected(&address, SOCK_STREAM);
    // A program that forwards connections may have accepted this one before anybody has reached the server.
    if (read(fd, chunk, 1) != 1) fail("read");
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close(fd);
  }
  printf("%f\n", now_ms() - began);
  return 0;
}

static _Noreturn void echo(const char *at, int port) {
  struct address own = address_of(at, port), from;
  int fd = bound(&own, SOCK_DGRAM);
  printf("listening\n");
  fflush(stdout);
  for (;;) {
    from.length = sizeof from.of;
    ssize_t length = recvfrom(fd, chunk, sizeof chunk, 0, &from.of.any, &from.length);
    if (length >= 0 && sendto(fd, chunk, (size_t)length, 0, &from.of.any, from.length) < 0) perror("sendto");
  }
}

static int trips(const char *to, int port, long count) {
  struct address address = address_of(to, port);
  int fd = connected(&address, SOCK_DGRAM);
  struct timeval limit = {.tv_sec = 5};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  double began = now_ms();
  for (long i = 0; i < count; i++) {
    if (send(fd, &i, sizeof i, 0) < 0) fail("send");
    if (recv(fd, chunk, sizeof chunk, 0) != sizeof i) fail("recv");
  }
  printf("%f\n", (now_ms() - began) * 1e3 / (double)count);
  return 0;
}

int main(int count, char **words) {
  signal(SIGPIPE, SIG_IGN);
  const char *act = count > 1 ? words[1] : "";
  if (strcmp(act, "lookups") == 0 && count == 6) return lookups(words[2], words[3], atol(words[4]), atoi(words[5]));
  if (strcmp(act, "resolver") == 0 && count == 3) resolver(words[2]);
  if (strcmp(act, "sink") == 0 && count == 4) sink(words[2], atoi(words[3]));
  if (strcmp(act, "send") == 0 && count == 5) return send_for(words[2], atoi(words[3]), atof(words[4]));
  if (strcmp(act, "connect") == 0 && count == 5) return connect_often(words[2], atoi(words[3]), atol(words[4]));
  if (strcmp(act, "echo") == 0 && count == 4) echo(words[2], atoi(words[3]));
  if (strcmp(act, "trips") == 0 && count == 5) return trips(words[2], atoi(words[3]), atol(words[4]));
  return 2;
}
