// What a start needs of networks: that they exist, and a place on each for the container.

import { NO_ENDPOINTS } from "../../network/configuration";
import { choosePlace, macProblem } from "../../network/endpoint/choose-place";
import { Endpoint } from "../../network/endpoint/endpoint";
import { networkOf } from "../../network/endpoint/endpoints-of-container";
import { NO_GATEWAYS } from "../../network/endpoint/gateway-endpoints";
import { choosePorts } from "../../network/endpoint/publish";
import { lookUpNetwork } from "../../network/look-up";
import { Network } from "../../network/network";
import { forbidden, internal, notFound, Refusal } from "../../refusal";
import { Container } from "../container";
import { otherIn } from "../spec/namespaces";
import { OTHER_CODE, StartError } from "../start/start-error";
import { NETWORKING } from "../start/start-failure";
import { joinProblem } from "./shared-network";

/** One of the container's networks that is still being made; null if there is none. */
export function creatingNetwork(container: Container): Network | null {
  for (let i = 0; i < container.endpoints.length; i++) {
    const network = networkOf(container.endpoints[i]);
    if (network !== null && network.creating) return network;
  }
  return null;
}

/** Why one of the container's networks is not available; null if all are. `ended`: as in `refuseJoin`. */
export function networkProblem(container: Container, ended: string = ""): StartError | null {
  if (container.networkDisabled) return null;
  if (otherIn(container.networkMode).length > 0) return joinProblem(container, ended);
  for (let i = 0; i < container.endpoints.length; i++) {
    const missing = refuseMissing(container.endpoints[i]);
    if (missing !== null) return errorOf(missing);
  }
  return null;
}

/** One that is still being made may fail, so it does not count yet. */
function refuseMissing(endpoint: Endpoint): Refusal | null {
  const network = networkOf(endpoint);
  if (network === null) return lookUpNetwork(endpoint.network).refusal;
  return network.creating ? notFound(`network ${endpoint.network} not found`) : null;
}

/** Takes the container's places on its networks, and its ports. Returns why that failed; what was taken stays. */
export function placeProblem(container: Container): StartError | null {
  for (let i = 0; i < container.endpoints.length; i++) {
    const refusal = takePlace(container, container.endpoints[i]);
    if (refusal !== null) return errorOf(refusal);
  }
  const clash: string | null = container.sandbox === null ? null : choosePorts(container, NO_GATEWAYS);
  return clash === null ? null : errorOf(internal(NETWORKING + clash));
}

function takePlace(container: Container, endpoint: Endpoint): Refusal | null {
  const missing = refuseMissing(endpoint);
  if (missing !== null) return missing;
  const network = networkOf(endpoint)!;
  if (network.configOnly) return forbidden(NETWORKING + NO_ENDPOINTS);
  if (container.isOn(network.id)) {
    return forbidden(`endpoint with name ${container.name} already exists in network ${network.name}`);
  }
  if (network.hasPlaces) return choosePlace(container, endpoint, network);
  endpoint.networkId = network.id;
  // The hardware address is checked even where it has no effect, as in Docker.
  const problem = macProblem(endpoint);
  return problem === null ? null : internal(problem);
}

function errorOf(refusal: Refusal): StartError {
  return new StartError(refusal.message, OTHER_CODE, refusal);
}
