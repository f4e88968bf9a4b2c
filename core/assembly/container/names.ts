// Names of containers: which are valid, and how to generate one.

/** Empty if a container may have this name, else Docker's refusal. Ignores a leading slash. */
export function containerNameProblem(name: string): string {
  if (isContainerName(name.startsWith("/") ? name.substring(1) : name)) return "";
  return `Invalid container name (${name}), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed`;
}

/** `[a-zA-Z0-9][a-zA-Z0-9_.-]+`: at least two characters. The rule also holds for names of volumes. */
export function isContainerName(name: string): bool {
  if (name.length < 2 || !isAlphanumeric(name.charCodeAt(0))) return false;
  for (let i = 1; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (!isAlphanumeric(unit) && unit != 0x5f && unit != 0x2e && unit != 0x2d) return false;
  }
  return true;
}

/**
 * Makes a name, adjective and surname, from a random number. From the second draw on (`draw` 1, 2 …) a digit follows.
 */
export function generatedName(random: u32, draw: i32): string {
  const adjectives = <u32>ADJECTIVES.length;
  const surnames = <u32>SURNAMES.length;
  const name = ADJECTIVES[random % adjectives] + "_" + SURNAMES[(random / adjectives) % surnames];
  return draw == 0 ? name : name + ((random / (adjectives * surnames)) % 10).toString();
}

const ADJECTIVES: string[] = (
  "able agile amber apt astute awake balmy blithe bold brave breezy bright brisk calm candid civil clear clever " +
  "cosy crisp curious dapper daring deft earnest easy elated fair fleet fond frank fresh frugal genial gentle " +
  "glad golden graceful hardy hearty honest humble jaunty jolly keen kind lively loyal lucid mellow merry mild " +
  "modest neat nimble noble patient placid plucky polite proud quick quiet ready robust rosy serene silent " +
  "sincere snug sober steady sunny supple swift tender tidy tranquil upbeat valiant vivid warm witty zesty"
).split(" ");

const SURNAMES: string[] = (
  "abel ampere anning avogadro banach becquerel bernoulli boole bose boyle brahe cantor carnot cauchy " +
  "chandrasekhar clausius copernicus coulomb curie dalton darwin descartes dirac doppler eddington einstein " +
  "erdos euclid euler faraday fermat fermi feynman fibonacci fourier franklin galois gauss germain godel halley " +
  "hamilton heaviside herschel hertz hilbert hooke hopper hubble humboldt huygens hypatia jemison joule kelvin " +
  "kepler kovalevskaya lagrange laplace lavoisier leavitt leibniz linnaeus lovelace maxwell meitner mendel " +
  "mendeleev napier newton noether ohm pascal pasteur planck poincare ptolemy ramanujan riemann rutherford " +
  "shannon somerville tesla turing volta watt wu yukawa"
).split(" ");

function isAlphanumeric(unit: i32): bool {
  const lower = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}
