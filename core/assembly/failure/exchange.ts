// Messages for a registry that could not be reached or whose answer was invalid, in Go's words (surface §6.3).

import {
  ExchangeFailure,
  ExchangeFailureCall,
  ExchangeFailureCertificateNames,
  ExchangeFailureInsecureRedirect,
  ExchangeFailureOther,
  ExchangeFailureProxyCall,
  ExchangeFailureProxyRefused,
  ExchangeFailureRedirects,
  ExchangeFailureTag,
  FailedExchange,
  Failure,
  FailureExchange,
  FailureTag,
  RefusedCall,
} from "../../../build/bindings/types";
import { errnoText } from "./call";
import { FailureKind } from "./failure-kind";

export function exchangeKind(exchange: FailedExchange): FailureKind {
  switch (exchange.why.tag) {
    case ExchangeFailureTag.NoCredentials:
      return FailureKind.Unauthorized;
    case ExchangeFailureTag.PlainCredentials:
      return FailureKind.Denied;
    default:
      return exchange.answered ? FailureKind.Registry : FailureKind.Unreachable;
  }
}

/** The registry requires a login, and the request had no credentials. */
export function lacksCredentials(failure: Failure): bool {
  if (failure.tag != FailureTag.Exchange) return false;
  return (<FailureExchange>failure).value.why.tag == ExchangeFailureTag.NoCredentials;
}

/** `Get "https://host/v2/": dial tcp host:443: connect: connection refused`. */
export function exchangeText(exchange: FailedExchange): string {
  const method = exchange.method;
  const verb = method.charAt(0) + method.slice(1).toLowerCase();
  return `${verb} "${exchange.url}": ${reason(exchange.why, exchange.url)}`;
}

function reason(why: ExchangeFailure, url: string): string {
  switch (why.tag) {
    case ExchangeFailureTag.Call:
      return callReason((<ExchangeFailureCall>why).value);
    case ExchangeFailureTag.ProxyCall:
      return `proxyconnect tcp: ${callReason((<ExchangeFailureProxyCall>why).value)}`;
    case ExchangeFailureTag.ProxyRefused:
      return proxyReason((<ExchangeFailureProxyRefused>why).value);
    case ExchangeFailureTag.Closed:
      return "EOF";
    case ExchangeFailureTag.Timeout:
      return "net/http: timeout awaiting response";
    case ExchangeFailureTag.NoTls:
      return "http: server gave HTTP response to HTTPS client";
    case ExchangeFailureTag.UnknownAuthority:
      return `${UNVERIFIED}: certificate signed by unknown authority`;
    case ExchangeFailureTag.CertificateNames:
      return `${UNVERIFIED}: ${namesReason((<ExchangeFailureCertificateNames>why).value, hostOf(url))}`;
    case ExchangeFailureTag.CertificateDates:
      return `${UNVERIFIED}: certificate has expired or is not yet valid`;
    case ExchangeFailureTag.Other:
      return (<ExchangeFailureOther>why).value;
    default:
      return authorizationReason(why);
  }
}

function callReason(refused: RefusedCall): string {
  const words = errnoText(refused.error);
  if (refused.call == "getaddrinfo") return `dial tcp: lookup ${refused.path}: ${words}`;
  // A file that the connection needs, such as a certificate.
  if (refused.call == "open") return `open ${refused.path}: ${words}`;
  if (refused.call != "connect") return `${refused.call}: ${words}`;
  const dial = `dial tcp ${refused.path}`;
  return refused.error == "ETIMEDOUT" ? `${dial}: i/o timeout` : `${dial}: connect: ${words}`;
}

/** Go repeats what the proxy said after its status. */
function proxyReason(said: string): string {
  return said.length > 0 ? said : "unknown status code";
}

function namesReason(names: string[], host: string): string {
  if (names.length == 0) return `certificate is not valid for any names, but wanted to match ${host}`;
  return `certificate is valid for ${names.join(", ")}, not ${host}`;
}

function authorizationReason(why: ExchangeFailure): string {
  switch (why.tag) {
    case ExchangeFailureTag.NoCredentials:
      return "no basic auth credentials";
    case ExchangeFailureTag.PlainCredentials:
      return "credentials are not sent without TLS";
    case ExchangeFailureTag.NoRealm:
      return "challenge without a realm";
    case ExchangeFailureTag.NoToken:
      return "authorization server did not include a token in the response";
    default:
      return redirectReason(why);
  }
}

function redirectReason(why: ExchangeFailure): string {
  switch (why.tag) {
    case ExchangeFailureTag.BadRedirect:
      return "redirected to an invalid address";
    case ExchangeFailureTag.InsecureRedirect:
      return `redirected to ${(<ExchangeFailureInsecureRedirect>why).value}, which is not secure`;
    case ExchangeFailureTag.FormRedirect:
      return "redirected to another server";
    default:
      return `stopped after ${(<ExchangeFailureRedirects>why).value} redirects`;
  }
}

/** The host of a URL, without port and without the brackets of an IPv6 address. */
function hostOf(url: string): string {
  const start = url.indexOf("://") + 3;
  const slash = url.indexOf("/", start);
  const authority = url.slice(start, slash < 0 ? url.length : slash);
  if (authority.startsWith("[")) return authority.slice(1, max(1, authority.indexOf("]")));
  const colon = authority.indexOf(":");
  return colon < 0 ? authority : authority.slice(0, colon);
}

const UNVERIFIED = "tls: failed to verify certificate: x509";
