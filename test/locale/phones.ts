/**
 * Locales that phones, simulators and frameworks really send, each with a source, and what becomes of it: the stored form,
 * and the translation that suits among a choice.
 */

interface SentLocale {
  sent: string;
  /** As a reply shows it. Undefined: nothing of it can be understood, so it is left out. */
  locale?: string;
  script?: string;
  /** Of `OFFERED`. Undefined: the default payload. */
  translation?: string;
}

/** As translators name them. */
export const OFFERED = 'de en en-GB es es-419 fil fr-CA he id nb pt-BR ro sr-Latn th zh-Hans zh-Hant'.split(
  ' ',
);

const android: readonly SentLocale[] = [
  // Locale.toString(): jitsi/jitsi-meet#8987, appium/appium#17171
  { sent: 'zh_CN_#Hans', locale: 'zh_CN', translation: 'zh-Hans' },
  { sent: 'zh_CN_#HANS', locale: 'zh_CN', translation: 'zh-Hans' },
  { sent: 'zh_TW_#Hant', locale: 'zh_TW', translation: 'zh-Hant' },
  { sent: 'zh_HK_#Hans', locale: 'zh_HK', script: 'Hans', translation: 'zh-Hans' },
  { sent: 'zh_HK_#Hant', locale: 'zh_HK', translation: 'zh-Hant' },
  { sent: 'zh_MO_#Hans', locale: 'zh_MO', script: 'Hans', translation: 'zh-Hans' },
  { sent: 'zh_SG_#Hans', locale: 'zh_SG', translation: 'zh-Hans' },
  { sent: 'zh__#Hans', locale: 'zh', script: 'Hans', translation: 'zh-Hans' },
  { sent: 'sr_RS_#Latn', locale: 'sr_RS', script: 'Latn', translation: 'sr-Latn' },
  { sent: 'sr_RS_#Cyrl', locale: 'sr_RS' },
  { sent: 'az_AZ_#Cyrl', locale: 'az_AZ', script: 'Cyrl' },
  // the documentation of java.util.Locale.toString()
  { sent: 'th_TH_TH_#u-nu-thai', locale: 'th_TH', translation: 'th' },
  { sent: 'ja_JP_JP_#u-ca-japanese', locale: 'ja_JP' },
  { sent: 'no_NO_NY', locale: 'nn_NO', translation: 'nb' },
  // regional preferences since Android 14: organicmaps/organicmaps#13197, tolgee/tolgee-mobile-kotlin-sdk#20
  { sent: 'en_UA_#u-fw-mon-ms-metric-mu-celsius', locale: 'en_UA', translation: 'en' },
  { sent: 'es__#u-ms-metric', locale: 'es', translation: 'es' },
  { sent: 'es-u-ms-metric', locale: 'es', translation: 'es' },
  { sent: 'en-GB-u-fw-mon-mu-celsius', locale: 'en_GB', translation: 'en-GB' },
  { sent: 'zh-Hans-HK-u-fw-sun', locale: 'zh_HK', script: 'Hans', translation: 'zh-Hans' },
  { sent: 'zh_CN_#Hans_u-nu-hanidec', locale: 'zh_CN', translation: 'zh-Hans' },
  // old codes in Locale.getLanguage(): brave/brave-browser#7029
  { sent: 'iw_IL', locale: 'he_IL', translation: 'he' },
  { sent: 'iw-IL', locale: 'he_IL', translation: 'he' },
  { sent: 'iw', locale: 'he', translation: 'he' },
  { sent: 'in_ID', locale: 'id_ID', translation: 'id' },
  { sent: 'ji', locale: 'yi' },
  { sent: 'no_NO', locale: 'nb_NO', translation: 'nb' },
  { sent: 'tl_PH', locale: 'fil_PH', translation: 'fil' },
  { sent: 'mo_MD', locale: 'ro_MD', translation: 'ro' },
  { sent: 'sh_RS', locale: 'sr_RS', script: 'Latn', translation: 'sr-Latn' },
  // pseudo-locales and emulators
  { sent: 'en_XA', locale: 'en_XA', translation: 'en' },
  { sent: 'ar_XB', locale: 'ar_XB' },
  { sent: 'en', locale: 'en', translation: 'en' },
  { sent: 'und' },
];

const apple: readonly SentLocale[] = [
  // Locale.current.identifier with regional settings: stripe/stripe-ios#4043
  { sent: 'en_US@rg=gbzzzz', locale: 'en_US', translation: 'en' },
  { sent: 'en_GB@calendar=japanese;currency=EUR', locale: 'en_GB', translation: 'en-GB' },
  { sent: 'de_DE@currency=USD;rg=chzzzz', locale: 'de_DE', translation: 'de' },
  { sent: 'zh_HK', locale: 'zh_HK', translation: 'zh-Hant' },
  { sent: 'zh-Hans_HK', locale: 'zh_HK', script: 'Hans', translation: 'zh-Hans' },
  { sent: 'zh_Hans_US', locale: 'zh_US', script: 'Hans', translation: 'zh-Hans' },
  { sent: 'zh_Hant_US', locale: 'zh_US', translation: 'zh-Hant' },
  { sent: 'zh-Hans', locale: 'zh', script: 'Hans', translation: 'zh-Hans' },
  { sent: 'zh-Hant', locale: 'zh', script: 'Hant', translation: 'zh-Hant' },
  { sent: 'yue-Hant-HK', locale: 'yue_HK', translation: 'zh-Hant' },
  { sent: 'nn-NO', locale: 'nn_NO', translation: 'nb' },
  { sent: 'es_419', locale: 'es_419', translation: 'es-419' },
  { sent: 'en_001', locale: 'en_001', translation: 'en' },
  { sent: 'en_US_POSIX', locale: 'en_US', translation: 'en' },
  { sent: 'haw_US', locale: 'haw_US' },
  { sent: 'ca_ES_VALENCIA', locale: 'ca_ES' },
];

/** Flutter, React Native, .NET, Unity and browsers. */
const frameworks: readonly SentLocale[] = [
  // Platform.localeName of Dart, on Linux too
  { sent: 'en_US.UTF-8', locale: 'en_US', translation: 'en' },
  { sent: 'C.UTF-8' },
  { sent: 'POSIX' },
  { sent: 'de_DE.UTF-8@euro', locale: 'de_DE', translation: 'de' },
  { sent: 'zh_Hans_CN', locale: 'zh_CN', translation: 'zh-Hans' },
  // NativeModules of React Native, navigator.language, Accept-Language
  { sent: 'fr-CA', locale: 'fr_CA', translation: 'fr-CA' },
  { sent: 'PT-br', locale: 'pt_BR', translation: 'pt-BR' },
  { sent: 'en-GB,en;q=0.9', locale: 'en_GB', translation: 'en-GB' },
  { sent: 'null' },
  { sent: 'undefined' },
  { sent: '' },
  // CultureInfo.Name of .NET, with the names that it had before and its sort orders
  { sent: 'zh-CHS', locale: 'zh', script: 'Hans', translation: 'zh-Hans' },
  { sent: 'zh-CHT', locale: 'zh', script: 'Hant', translation: 'zh-Hant' },
  { sent: 'de-DE_phoneb', locale: 'de_DE', translation: 'de' },
  { sent: 'sr-Latn-RS', locale: 'sr_RS', script: 'Latn', translation: 'sr-Latn' },
  { sent: 'en-UK', locale: 'en_GB', translation: 'en-GB' },
  // Application.systemLanguage of Unity is a word
  { sent: 'English' },
  { sent: 'ChineseSimplified' },
  // language tags of browsers before BCP 47
  { sent: 'zh-cmn-Hans-CN', locale: 'zh_CN', translation: 'zh-Hans' },
  { sent: 'zh-yue-HK', locale: 'yue_HK', translation: 'zh-Hant' },
];

export const sentLocales: readonly SentLocale[] = [...android, ...apple, ...frameworks];
