/**
 * A cookie goes to every port of a host, hence also to other programs. So a browser's cookie is a person only
 * together with a secret that pages of the plane's own origin keep: in this place, and sent in this header.
 */
export const pageHeader = "x-toolplane-session";
export const pageKey = "toolplane.session";
