// The request in other languages, ready to copy.

import { useState } from "preact/hooks";
import { generate } from "../../notation/generate.js";
import { LANGUAGES, type Language } from "../../notation/notation.js";
import type { Exchange } from "../../session/exchange.js";
import { CopyButton } from "../copy-button.js";
import { TabList } from "../tab-list.js";

const TABS = LANGUAGES.map(({ language, label }) => ({ id: language, label }));

export function Languages({ exchange }: { exchange: Exchange }) {
  const [language, setLanguage] = useState<Language>("curl");
  const name = `language-${exchange.number}`;
  const text = generate(exchange.request, language);
  return (
    <div class="stack tight">
      <TabList label="Language" name={name} tabs={TABS} selected={language} select={setLanguage} onePanel />
      <div id={`${name}-panel`} role="tabpanel" aria-labelledby={`${name}-${language}`} class="code">
        <pre class="body" tabIndex={0} role="group" aria-label="Code">
          {text}
        </pre>
        <CopyButton text={() => text} />
      </div>
    </div>
  );
}
