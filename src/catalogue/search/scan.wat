;; The likeness of one vector to many: rows of 256 signed bytes, and for each the largest dot product so far.
;; The query has seven bits, so that four products fit into 16 bits before they are widened.
(module
  (memory (export "memory") 1)
  (func (export "scan") (param $query i32) (param $row i32) (param $end i32) (param $best i32)
    (local $at i32) (local $sum v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $dot i32)
    (loop $rows
      (if (i32.lt_u (local.get $row) (local.get $end)) (then
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (i32.const 0))
        (loop $numbers
          (local.set $a (v128.load (i32.add (local.get $query) (local.get $at))))
          (local.set $b (v128.load (local.get $row)))
          (local.set $c (v128.load offset=16 (i32.add (local.get $query) (local.get $at))))
          (local.set $d (v128.load offset=16 (local.get $row)))
          (local.set $sum (i32x4.add (local.get $sum) (i32x4.extadd_pairwise_i16x8_s (i16x8.add
            (i16x8.add (i16x8.extmul_low_i8x16_s (local.get $a) (local.get $b)) (i16x8.extmul_high_i8x16_s (local.get $a) (local.get $b)))
            (i16x8.add (i16x8.extmul_low_i8x16_s (local.get $c) (local.get $d)) (i16x8.extmul_high_i8x16_s (local.get $c) (local.get $d)))))))
          (local.set $row (i32.add (local.get $row) (i32.const 32)))
          (br_if $numbers (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 32))) (i32.const 256))))
        (local.set $dot (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
          (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (if (i32.gt_s (local.get $dot) (i32.load (local.get $best)))
          (then (i32.store (local.get $best) (local.get $dot))))
        (local.set $best (i32.add (local.get $best) (i32.const 4)))
        (br $rows))))))
