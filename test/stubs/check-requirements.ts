// Owns what the checker and the preparation of scripts promise.
export const requirements: Readonly<Record<string, string>> = {
  "script:empty": "a script with nothing in it is a clear SCRIPT_SYNTAX error",
  "script:normalise":
    "BOM, CRLF, shebang and an enclosing code fence are taken off, and lines are still told as written",
  "script:ambiguous": "what might be the script's own text is left alone",
  "script:frames":
    "a stack is told in lines and columns of the script as written, and only the script's own frames",
  "script:bounded": "no stack and no line makes a message long or unprintable",
  "check:types-erased": "types are erased with every column kept, and the program means the same",
  "check:no-types-no-change": "a script without types keeps its text byte for byte",
  "check:statements": "await and return work at the top level",
  "check:habits": "a script that only defines one function is called, with a warning",
  "check:syntax": "a syntax error is told with line, column and source line, with the check on and off",
  "check:unsupported":
    "syntax that cannot be erased is refused with what to write instead, with the check on and off",
  "check:wrapper": "no text leaves the function a script is wrapped in",
  "check:directives": "@ts-nocheck, triple-slash references and declare global have no effect",
  "check:unknown-tool": "an unknown tool is answered with the nearest signatures, also of other servers",
  "check:arguments": "every missing and every unknown key of an argument is listed, with what was meant",
  "check:await": "a promise used as its value is answered with a hint at await",
  "check:absent": "a global the sandbox has not is answered with what to use instead",
  "check:globals": "the globals of the sandbox are typed",
  "check:bounded": "there are at most five diagnostics, first position first, each bounded and printable",
  "check:unawaited": "a tool call that nothing awaits is a warning; one that something awaits is not",
  "check:modes": "error forbids, warn advises, off only parses",
  "check:killed":
    "a script that the checker cannot finish is given up with a sentence, and the next one is checked",
  "check:cached":
    "the same script against the same catalog is answered without work, a changed catalog is not",
  "check:lifecycle":
    "waits end on abort and on dispose, the line is bounded, an idle compiler keeps no process alive",
  "check:engine": "what the engine refuses never leaves the compiler as code",
};
