// The stack of the tests of docker-compose: eight services, two networks and three volumes, as a Compose file.

/** `greeting`: what `web` serves. If it changes, `up` creates `web` anew, and no other service. */
export function composeFile(greeting: string): string {
  return `
x-usual: &usual
  image: shop:1
  stop_signal: SIGKILL
services:
  db:
    <<: *usual
    command: sh -c 'echo row >> /data/rows; touch /tmp/ready; exec sleep 1000'
    healthcheck: { test: ["CMD", "test", "-e", "/tmp/ready"], interval: 100ms, timeout: 10s, retries: 100 }
    restart: unless-stopped
    volumes: ["data:/data"]
    networks: { back: { ipv4_address: 172.30.2.10 } }
  cache:
    <<: *usual
    command: sleep 1000
    depends_on: [db]
    tmpfs: ["/scratch:size=1m,mode=700"]
    volumes: [{ type: volume, source: fast, target: /fast }, { type: tmpfs, target: /quick, tmpfs: { size: 65536 } }]
    networks: { back: { aliases: [store, keep] } }
  api:
    <<: *usual
    command: sh -c 'cat /data/rows > /tmp/rows && exec sleep 1000'
    depends_on: { db: { condition: service_healthy } }
    expose: ["80"]
    volumes: ["data:/data:ro"]
    networks: { front: { aliases: [backend] }, back: { ipv4_address: 172.30.2.20 } }
  web:
    <<: *usual
    command: sh -c 'echo serves $$GREETING; mkdir /www; echo $$GREETING > /www/index.html; exec httpd -f -p 80 -h /www'
    environment: { GREETING: ${greeting} }
    depends_on: [api, cache]
    hostname: pages
    ports: ["18600:80", "127.0.0.1:18601:81/udp"]
    networks: { front: { aliases: [shop], ipv4_address: 172.30.1.30, ipv6_address: "fd00:213::30" } }
  worker:
    <<: *usual
    command: sleep 1000
    scale: 2
    depends_on: [db]
    volumes: ["/own"]
    networks: { back: { aliases: [hands] } }
  flaky:
    <<: *usual
    command: sh -c 'echo try >> /data/tries; test $$(wc -l < /data/tries) -ge 3'
    restart: on-failure:5
    volumes: ["tries:/data"]
    networks: { back: {} }
  lonely:
    <<: *usual
    command: sleep 1000
    network_mode: none
  debug:
    <<: *usual
    command: sleep 1000
    profiles: [debug]
    network_mode: service:api
networks:
  front:
    driver_opts: { com.docker.network.driver.mtu: "1400" }
    enable_ipv6: true
    ipam:
      config:
        - { subnet: 172.30.1.0/24, gateway: 172.30.1.254 }
        - { subnet: fd00:213::/64 }
  back:
    internal: true
    labels: { com.example.side: back }
    ipam: { config: [{ subnet: 172.30.2.0/24, ip_range: 172.30.2.128/25 }] }
volumes:
  data: {}
  tries: { labels: { com.example.of: flaky } }
  fast: { driver_opts: { type: tmpfs, device: tmpfs, o: "size=1m" } }
`;
}
