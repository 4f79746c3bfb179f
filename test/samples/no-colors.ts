/** Imported first: what is written for people is compared without colours, also where they are forced. */
delete process.env.FORCE_COLOR;
process.env.NO_COLOR = "1";
