// Explains what happened between a request and its answer: which rule decided, and what the engine did.

import type { ComponentChildren } from "preact";
import type { Exchange } from "../../session/exchange.js";
import type { Remedy } from "../../session/explain/explain.js";
import { explain } from "../../session/explain/explanation.js";
import { usePlayground, useSession } from "../context.js";
import { sendAll } from "../notebook/plan.js";
import { shortId } from "../words.js";

export function Explain({ exchange }: { exchange: Exchange }) {
  const session = useSession();
  // Read to subscribe to it: the explanation grows with the steps.
  void exchange.steps.value;
  const told = explain(session, exchange);
  if (told.route === null && exchange.steps.value.length === 0) {
    return <p class="muted">The request has not reached the engine.</p>;
  }
  return (
    <dl class="explain">
      <Part title="Route">
        {told.route === null ? (
          <p>No route matches this method and path.</p>
        ) : (
          <p>
            <code>{told.route}</code> <span class="muted">at {told.version}, decided in</span>{" "}
            <Source file={told.source} />
          </p>
        )}
      </Part>
      {told.refusal && (
        <Part title="Refused">
          <p>
            <strong class="refused">
              {told.refusal.kind} ({told.refusal.status})
            </strong>
            : {told.refusal.message}
          </p>
          {session.recording === null &&
            told.remedies.map((remedy) => <RemedyRow key={remedy.label} remedy={remedy} />)}
        </Part>
      )}
      {told.rules.length > 0 && (
        <Part title="Rules">
          {told.rules.map(({ step, container, rule }) => (
            <p key={`${step}-${rule.from}`}>
              <StepLink step={step} /> <code>{shortId(container)}</code> {rule.from}{" "}
              <span class="muted">–{rule.cause}→</span> {rule.to}
            </p>
          ))}
          <p class="small">
            <span class="muted">from the table in</span> <Source file="container/lifecycle.ts" />
          </p>
        </Part>
      )}
      {told.records.length > 0 && (
        <Part title="Records">
          {told.records.map(({ step, key, deleted }, at) => (
            <p key={at}>
              <StepLink step={step} /> {deleted ? "deleted" : "wrote"} <code class="breakable">{key}</code>
            </p>
          ))}
        </Part>
      )}
      {told.effects.length > 0 && (
        <Part title="Commands to the host">
          {told.effects.map(({ step, text }, at) => (
            <p key={at}>
              <StepLink step={step} /> {text}
            </p>
          ))}
        </Part>
      )}
      {told.events.length > 0 && (
        <Part title="Events">
          {told.events.map((event) => (
            <p key={event.number}>
              {event.type} <strong>{event.action}</strong>{" "}
              <span class="muted">{event.attributes["name"] ?? shortId(event.id)}</span>
            </p>
          ))}
        </Part>
      )}
    </dl>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A link to the core's source file, which is published next to the page. */
function Source({ file }: { file: string }) {
  return (
    <a href={`source/${file}.txt`} target="_blank" rel="noopener">
      <code>core/assembly/{file}</code>
    </a>
  );
}

function StepLink({ step }: { step: number }) {
  const session = useSession();
  return (
    <button
      type="button"
      class="step-link small"
      aria-label={`Look at step ${step}`}
      onClick={() => session.goTo(step)}
    >
      {step}
    </button>
  );
}

/** A remedy is complete: it includes the request to send again. */
function RemedyRow({ remedy }: { remedy: Remedy }) {
  const playground = usePlayground();
  if (remedy.requests.length === 0) return <p>{remedy.label}</p>;
  return (
    <p class="row">
      <button type="button" onClick={() => void playground.run(sendAll(playground, remedy.requests))}>
        {remedy.label}
      </button>
    </p>
  );
}
