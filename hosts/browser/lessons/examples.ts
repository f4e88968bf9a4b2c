// Examples: lines for the console that bring up something larger.

export interface Example {
  /** The text of the button. */
  readonly label: string;
  /** Commands, one after the other. */
  readonly lines: readonly string[];
  /** What to look at afterwards. */
  readonly lookFor: string;
}

const STOCK = "mkdir /www; echo 12 apples > /www/stock; exec httpd -f -h /www";
const PRICES = "mkdir /www; echo 3 coins each > /www/prices; exec httpd -f -h /www";
const SHOP =
  "mkdir /www; while sleep 1; do " +
  "{ echo Welcome to the shop; wget -qO- http://stock/stock; wget -qO- http://prices/prices; } > /www/index.html; " +
  "done & exec httpd -f -h /www";

/** A web shop of three containers: one publishes its page, and asks the two others by name. */
export const WEB_SHOP: Example = {
  label: "Web shop",
  lines: [
    "docker network create shop",
    `docker run -d --name stock --network shop busybox sh -c '${STOCK}'`,
    `docker run -d --name prices --network shop busybox sh -c '${PRICES}'`,
    `docker run -d --name web --network shop -p 8080:80 busybox sh -c '${SHOP}'`,
  ],
  lookFor:
    "In the world, open the container web and then localhost:8080. Then stop the container prices, and open it again.",
};
