// Convolutions are a library, runtime/convolutions.c; its callers have the plan of one, and know how much memory it needs.

static int64_t eq_conv_room__@T(const eq_call *call, int64_t what, int64_t b, int64_t c, int64_t o, int64_t groups, int64_t n0, int64_t n1, int64_t n2,
    int64_t k0, int64_t k1, int64_t k2, int64_t m0, int64_t m1, int64_t m2, int64_t b0, int64_t b1, int64_t b2, int64_t s0, int64_t s1,
    int64_t s2, int64_t g0, int64_t g1, int64_t g2) {
  eq_conv_plan g = {what, b, c, o, groups, 0, {n0, n1, n2}, {k0, k1, k2}, {m0, m1, m2}, {b0, b1, b2}, {s0, s1, s2}, {g0, g1, g2}};
  return eq_conv_elements(&g, sizeof(@T), call->threads);
}
