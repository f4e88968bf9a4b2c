// The rules of `docker build --check` (docs.docker.com, "Build checks").

const PAGES = "https://docs.docker.com/go/dockerfile/rule/";

export class LintRule {
  constructor(
    readonly name: string,
    /** Of its page. */
    private readonly slug: string,
    readonly description: string,
    /** It counts only if the Dockerfile asks for it. */
    readonly isExperiment: bool = false,
  ) {}

  get url(): string {
    return `${PAGES}${this.slug}/`;
  }
}

export const STAGE_NAME_CASING: LintRule = new LintRule(
  "StageNameCasing",
  "stage-name-casing",
  "Stage names should be lowercase",
);
export const FROM_AS_CASING: LintRule = new LintRule(
  "FromAsCasing",
  "from-as-casing",
  "The 'as' keyword should match the case of the 'from' keyword",
);
export const NO_EMPTY_CONTINUATION: LintRule = new LintRule(
  "NoEmptyContinuation",
  "no-empty-continuation",
  "Empty continuation lines will become errors in a future release",
);
export const CONSISTENT_INSTRUCTION_CASING: LintRule = new LintRule(
  "ConsistentInstructionCasing",
  "consistent-instruction-casing",
  "All commands within the Dockerfile should use the same casing (either upper or lower)",
);
export const DUPLICATE_STAGE_NAME: LintRule = new LintRule(
  "DuplicateStageName",
  "duplicate-stage-name",
  "Stage names should be unique",
);
export const RESERVED_STAGE_NAME: LintRule = new LintRule(
  "ReservedStageName",
  "reserved-stage-name",
  "Reserved words should not be used as stage names",
);
export const JSON_ARGS_RECOMMENDED: LintRule = new LintRule(
  "JSONArgsRecommended",
  "json-args-recommended",
  "JSON arguments recommended for ENTRYPOINT/CMD to prevent unintended behavior related to OS signals",
);
export const MAINTAINER_DEPRECATED: LintRule = new LintRule(
  "MaintainerDeprecated",
  "maintainer-deprecated",
  "The MAINTAINER instruction is deprecated, use a label instead to define an image author",
);
export const UNDEFINED_ARG_IN_FROM: LintRule = new LintRule(
  "UndefinedArgInFrom",
  "undefined-arg-in-from",
  "FROM command must use declared ARGs",
);
export const WORKDIR_RELATIVE_PATH: LintRule = new LintRule(
  "WorkdirRelativePath",
  "workdir-relative-path",
  "Relative workdir without an absolute workdir declared within the build can have unexpected results if the base image changes",
);
export const MULTIPLE_INSTRUCTIONS_DISALLOWED: LintRule = new LintRule(
  "MultipleInstructionsDisallowed",
  "multiple-instructions-disallowed",
  "Multiple instructions of the same type should not be used in the same stage",
);
export const LEGACY_KEY_VALUE_FORMAT: LintRule = new LintRule(
  "LegacyKeyValueFormat",
  "legacy-key-value-format",
  "Legacy key/value format with whitespace separator should not be used",
);
export const REDUNDANT_TARGET_PLATFORM: LintRule = new LintRule(
  "RedundantTargetPlatform",
  "redundant-target-platform",
  "Setting platform to predefined $TARGETPLATFORM in FROM is redundant as this is the default behavior",
);
export const SECRETS_USED_IN_ARG_OR_ENV: LintRule = new LintRule(
  "SecretsUsedInArgOrEnv",
  "secrets-used-in-arg-or-env",
  "Sensitive data should not be used in the ARG or ENV commands",
);
export const INVALID_DEFAULT_ARG_IN_FROM: LintRule = new LintRule(
  "InvalidDefaultArgInFrom",
  "invalid-default-arg-in-from",
  "Default value for global ARG results in an empty or invalid base image name",
);
export const FROM_PLATFORM_FLAG_CONST_DISALLOWED: LintRule = new LintRule(
  "FromPlatformFlagConstDisallowed",
  "from-platform-flag-const-disallowed",
  "FROM --platform flag should not use a constant value",
);
export const UNDEFINED_VAR: LintRule = new LintRule(
  "UndefinedVar",
  "undefined-var",
  "Variables should be defined before their use",
);
export const COPY_IGNORED_FILE: LintRule = new LintRule(
  "CopyIgnoredFile",
  "copy-ignored-file",
  "Attempting to Copy file that is excluded by .dockerignore",
);
export const EXPOSE_PROTO_CASING: LintRule = new LintRule(
  "ExposeProtoCasing",
  "expose-proto-casing",
  "Protocol in EXPOSE instruction should be lowercase",
);
export const EXPOSE_INVALID_FORMAT: LintRule = new LintRule(
  "ExposeInvalidFormat",
  "expose-invalid-format",
  "IP address and host-port mapping should not be used in EXPOSE instruction. This will become an error in a future release",
);
export const INVALID_DEFINITION_DESCRIPTION: LintRule = new LintRule(
  "InvalidDefinitionDescription",
  "invalid-definition-description",
  "Comment for build stage or argument should follow the format: `# <arg/stage name> <description>`. If this is not intended to be a description comment, add an empty line or comment between the instruction and the comment.",
  true,
);
