/**
 * How numbers and dates are written. A browser may name a language that no format accepts: Chromium under a POSIX locale
 * says en-US@posix, and every page stayed empty.
 */
export function findLocale(languages: readonly string[]): string {
  return languages.find(isAccepted) ?? "en";
}

function isAccepted(language: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(language).length > 0;
  } catch {
    // RangeError: no language tag at all.
    return false;
  }
}

export const locale = findLocale(typeof navigator === "undefined" ? [] : [navigator.language, ...navigator.languages]);
