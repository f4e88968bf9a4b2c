// Variables of Dockerfiles: substitution, quotes, ARG and ENV. None of these runs a command, if the config says it all.

import { withArguments, type Recipe } from "./recipe.js";

export const VARIABLES: readonly (string | Recipe)[] = [
  // Substitution.
  "ENV A=1\nENV B=${A} C=$A.x D=${A}x E=$AB F=\\$A G='$A' H=\"$A\" I=\\${A}",
  "ENV A=\nENV B=${A:-d} C=${A:+d} D=${N:-d} E=${N:+d} F=x${N}y",
  "ENV A=1\nENV B=${A:-${N:-x}} C=${A:+${A}y} D=${N:-\"q r\"} E=${N:-'s t'} F=${N:-a\\}b}",
  "ENV A=1\nENV B=${A:?gone} C=$1 D=${1} E=$12 F=${12}",
  "ENV A=1 B=$A\nENV B=$A$A C=$B$B",
  "ENV A 1 two\nENV B $A \"q\" 'r'   s\\ t",
  "ENV B=$ C=$$ D=a$ E=$- F=$.",
  'ENV A=\'single $N\' B="double \\"q\\" \\$N" C=back\\\\slash D=tab\\ttab E="a\\nb" F=\'a\\\'b',
  'ENV A="" B=\'\' C="a"\'b\'c D="$N" E=a"b c"d',
  // Every instruction that has variables.
  'ENV A=a\nLABEL $A=1 "${A}b"=2 c=$A d="$A $A" e=\'$A\'',
  "ENV A=80 B=udp\nEXPOSE $A ${A}81/$B",
  'ENV A=/v B=/w\nVOLUME $A $B/x\nVOLUME ["$A$B"]',
  "ENV A=5\nUSER $A:${A}",
  "ENV A=/x\nWORKDIR $A/y\nWORKDIR z$A\nWORKDIR $N",
  "ENV A=SIGUSR2\nSTOPSIGNAL $A",
  'ENV A=a.txt B="/a b"\nCOPY $A /x${N}y\nADD ["${A}", "$B/"]\nCOPY --chown=$N a.txt /z',
  // And those that have none.
  'ENV A=x\nCMD echo $A\nENTRYPOINT ["$A","${A}"]\nSHELL ["/bin/$A"]',
  "ENV A=x\nONBUILD ENV B=$A\nMAINTAINER $A me\nHEALTHCHECK CMD echo $A",
  // Arguments.
  "ARG A=1\nFROM busybox\nENV B=$A",
  "ARG A=1\nFROM busybox\nARG A\nENV B=$A",
  "ARG A=1\nFROM busybox\nARG A=2\nENV B=$A",
  "FROM busybox AS a\nARG A=1\nENV B=$A\nFROM a\nENV C=${A:-none}",
  "ARG A=1\nENV A=2\nENV B=$A\nARG A=3\nENV C=$A",
  { file: "FROM busybox\nARG A=1\nARG B\nARG C=c\nENV X=$A$B$C", query: withArguments({ A: "one", B: "two" }) },
  { file: "FROM busybox\nARG A=1\nARG B=2\nENV X=$A$B", query: withArguments({ A: "", B: null }) },
  { file: "FROM busybox\nENV X=$A", query: withArguments({ A: "unasked", B: "never" }) },
  { file: "FROM busybox\nARG A\nENV A=env\nENV X=$A", query: withArguments({ A: "given" }) },
  { file: "ARG T=none\nFROM busybox:$T\nENV X=$T", query: withArguments({ T: "latest" }) },
  { file: "FROM busybox\nARG A=1\nRUN echo $A > /x", query: withArguments({ A: "given" }) },
  {
    file: "FROM busybox\nRUN echo $HTTP_PROXY$no_proxy$FTP_PROXY > /x",
    query: withArguments({ HTTP_PROXY: "h", no_proxy: "n" }),
  },
  {
    file: "FROM busybox\nARG HTTP_PROXY\nRUN echo $HTTP_PROXY > /x\nENV X=$HTTP_PROXY",
    query: withArguments({ HTTP_PROXY: "h" }),
  },
  { file: "FROM busybox\nARG A=x\nARG B=${A}y C\nENV X=$B$C", query: withArguments({ C: "z" }) },
  { file: "FROM busybox\nENV X=$HTTPS_PROXY", query: withArguments({ HTTPS_PROXY: "h" }) },
  // Refused.
  "ENV B=${N:?gone}",
  "ENV B=${N",
  "ENV B=${}",
  "ENV B=${A!}",
  "ENV B=${A:x}",
  'ENV B="open',
  "ENV B='open",
  "ENV =x",
  "ENV A",
  "ENV A=1 B",
  "ENV",
  "ARG",
  "ARG =x",
  "LABEL a",
  "LABEL =x",
];
