/** Attributes that the device of the examples has not set. */
export const unsetAttributes = {
  badge: null,
  sdk_version: null,
  country: null,
  user_email: null,
  encryption_key: null,
  sdk_location: null,
};
